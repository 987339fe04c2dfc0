import { invariant } from '../base/assert.ts';
import { isJsonObject } from '../base/json.ts';
import type { Draft } from '../timeline/block.ts';
import { paths } from '../timeline/paths.ts';
import { brief } from '../timeline/render/text.ts';
import { anchorsIn } from '../timeline/summaries.ts';
import type { TurnView } from '../timeline/view.ts';
import type { ToolError } from '../tools/tool.ts';
import type { FinalAction } from './actions.ts';
import { citedBy, unknownCitations } from './cited.ts';
import { roundClose, turnClose } from './close.ts';
import { completionRefusalsMax, refusedAnswerChars } from './limits.ts';
import { contextOf } from './perform.ts';
import type { Visit } from './visit.ts';

/**
 * The answer is always written; the turn closes only behind the gate. If something reactive arrived that the model
 * had not seen, `turn.close` is held back and the next plan asks again: a later answer is added, never replaced (I3).
 */
export async function complete(visit: Visit, action: FinalAction): Promise<void> {
  const { turn } = visit;
  const round = turn.rounds.at(-1);
  invariant(round, 'a completion belongs to a round');
  const judged = await judge(visit, action);
  if (!judged.ok) {
    await visit.owned.append([...judged.drafts, refusedRound(visit, judged.error)]);
    return;
  }
  const answer = [
    ...judged.drafts,
    ...completion(visit, { ...action, ...judged.answer }),
    ...summary(turn, action),
    roundClose(turn, 'answered'),
  ];
  const close = turnClose(turn, { reason: 'completed', more: answer });
  await visit.owned.append([...answer, close], { asOf: round.asOf, gate: answer.length });
}

type Judged = { readonly drafts: readonly Draft[] } & (
  | { readonly ok: true; readonly answer: Pick<FinalAction, 'answer'> }
  | { readonly ok: false; readonly error: ToolError }
);

/** What hooks make of the answer, before it is written down: what stands on the log is what people read (I1). */
async function judge(visit: Visit, action: FinalAction): Promise<Judged> {
  const { turn, agent } = visit;
  const { answer } = action;
  if (!agent.hooks?.completion || answer === undefined) return { ok: true, answer: {}, drafts: [] };
  using work = visit.interruptible(turn.rounds.at(-1)?.asOf ?? 0);
  const call = contextOf(visit, { action, round: turn.rounds.at(-1), signal: work.signal });
  const judged = await agent.hooks.completion(answer, { call, agent: agent.id });
  const { failed } = judged;
  const told = judged.ok ? failed : [...failed, toRefused(answer, judged.error)];
  const notices =
    told.length === 0 ? [] : [notice(turn, { ...codeOf(judged), text: told.join(' ') })];
  // There is no call on the log that these belong to.
  const made = call.services.take().map(({ call: _, ...draft }) => draft);
  const drafts = [...made, ...notices];
  return judged.ok ? { ok: true, answer: { answer: judged.value }, drafts } : { ...judged, drafts };
}

/** The answer stands nowhere else: without its beginning the model would not know what the rule was about. */
function toRefused(answer: string, { message }: ToolError): string {
  return `Your answer “${brief(answer, refusedAnswerChars)}” was not delivered: a rule of this assistant refused it, and nobody saw it. Answer again so that the rule lets it pass; the user may be told why. The rule: ${message}`;
}

function codeOf(judged: { readonly ok: boolean }) {
  return { code: judged.ok ? 'hook_failed' : 'completion_refused' };
}

function notice(turn: TurnView, { code, text }: { code: string; text: string }): Draft {
  const before = turn.blocks.filter(({ type }) => type === 'react.notice').length;
  const path = paths.notice(turn.id, before + 1);
  return { type: 'react.notice', turn: turn.id, author: 'system', path, text, data: { code } };
}

/** The model is asked again, so often; then the turn fails rather than that anything refused gets out. */
function refusedRound({ turn }: Visit, { code, message }: ToolError): Draft {
  const before = turn.rounds.filter(({ blocks }) => blocks.some(isRefused)).length;
  if (before < completionRefusalsMax) return roundClose(turn, 'refused');
  const error = { code: 'COMPLETION_REFUSED', message: `${code}: ${message}` };
  return roundClose(turn, 'failed', { error });
}

function isRefused({ type, data }: Draft): boolean {
  return type === 'round.close' && isJsonObject(data) && data['outcome'] === 'refused';
}

function completion(visit: Visit, action: FinalAction): readonly Draft[] {
  const { turn } = visit;
  const { answer, stream, degraded, followups, output, citations } = action;
  if (answer === undefined) return [];
  const n = turn.completions.length + 1;
  const cited = citedBy(action, visit.owned.view.sources);
  return [
    {
      type: 'assistant.completion',
      turn: turn.id,
      author: 'agent',
      path: paths.completion(turn.id, n),
      mime: 'text/markdown',
      text: answer,
      data: {
        stream,
        n,
        degraded,
        sources_used: cited.used,
        ...(followups.length > 0 ? { followups } : {}),
        ...(output === undefined ? {} : { output }),
        ...(citations === undefined ? {} : { citations }),
      },
    },
    ...unknownCitations(turn, cited),
  ];
}

function summary(turn: TurnView, action: FinalAction): readonly Draft[] {
  if (action.summary === undefined || action.summary.trim() === '') return [];
  const attempt = turn.blocks.filter((block) => block.type === 'conv.working.summary').length + 1;
  return [
    {
      type: 'conv.working.summary',
      turn: turn.id,
      author: 'agent',
      path: paths.summary(turn.id, attempt),
      mime: 'text/markdown',
      text: action.summary.trim(),
      data: { anchors: anchorsIn(action.summary) },
    },
  ];
}
