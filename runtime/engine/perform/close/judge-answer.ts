import type { Draft } from '../../../timeline/block.ts';
import { brief } from '../../../timeline/render/text.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { refusedAnswerChars } from '../../limits.ts';
import type { FinalAction } from '../../plan/actions.ts';
import { noticeOf } from '../../plan/notice.ts';
import type { WorkerSession } from '../../session/session.ts';
import { callContext } from '../call/run-tool.ts';
import { findLack, verificationCode } from './verify-answer.ts';

type Judgement = { readonly drafts: readonly Draft[] } & (
  | { readonly ok: true; readonly answer: Pick<FinalAction, 'answer'> }
  | { readonly ok: false; readonly error: ToolError }
);

/** Runs the hooks on the answer before it is written: the log holds what people read (I1). */
export async function judgeAnswer(session: WorkerSession, action: FinalAction): Promise<Judgement> {
  const { turn, agent } = session;
  const { answer } = action;
  if (answer === undefined) return unchanged;
  const lack = await findLack(session, action);
  if (lack !== undefined) return lackingAnswer(session, { answer, lack });
  if (!agent.hooks?.completion) return unchanged;
  using work = session.interruptible(turn.rounds.at(-1)?.asOf ?? 0);
  const call = callContext(session, { action, round: turn.rounds.at(-1), signal: work.signal });
  const judged = await agent.hooks.completion(answer, { call, agent: agent.id });
  const { failed } = judged;
  const reasons = judged.ok ? failed : [...failed, refusalText(answer, judged.error)];
  // These drafts belong to no call on the log.
  const made = call.services.take().map(({ call: _, ...draft }) => draft);
  const notice = { text: reasons.join(' '), data: codeOf(judged), more: made };
  const notices = reasons.length === 0 ? [] : [noticeOf(turn, notice)];
  const drafts = [...made, ...notices];
  return judged.ok ? { ok: true, answer: { answer: judged.value }, drafts } : { ...judged, drafts };
}

const unchanged: Judgement = { ok: true, answer: {}, drafts: [] };

function lackingAnswer(
  { turn }: WorkerSession,
  { answer, lack }: { readonly answer: string; readonly lack: string },
): Judgement {
  const text = `Your answer “${brief(answer, refusedAnswerChars)}” was checked and not delivered: nobody saw it. Do what is missing, then answer again. The check: ${lack}`;
  const drafts = [noticeOf(turn, { text, data: { code: verificationCode } })];
  const error = { code: verificationCode, message: lack, retryable: true };
  return { ok: false, drafts, error };
}

/** The refused answer is not on the log: without its beginning the model would not know what the rule refers to. */
function refusalText(answer: string, { message }: ToolError): string {
  return `Your answer “${brief(answer, refusedAnswerChars)}” was not delivered: a rule of this assistant refused it, and nobody saw it. Answer again so that the rule lets it pass; you may tell the user why. The rule: ${message}`;
}

function codeOf(judged: { readonly ok: boolean }) {
  return { code: judged.ok ? 'hook_failed' : 'completion_refused' };
}
