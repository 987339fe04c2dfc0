import type { Block, Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { type ApprovalOutcome, closeApproval } from '../../../timeline/close/close-turn.ts';
import { paths } from '../../../timeline/paths.ts';
import { brief } from '../../../timeline/render/text.ts';
import type { ExternalAnswer, ToolError } from '../../../tools/ports/tool.ts';
import { notExecuted } from '../../../tools/results/call-error.ts';
import { changedInputCharsMax } from '../../limits.ts';
import type { ResumeStep } from '../../plan/plan-call.ts';
import { isSteered, type WorkerSession } from '../../session/session.ts';
import { missingTool } from './call-refusal.ts';
import { checkBeforeCall, denialAdvice } from './pre-call.ts';
import { admissionOf } from './run-calls.ts';
import { refusedResult, runTool, type ToolRun } from './run-tool.ts';

/** A waiting call continues or ends: it was answered, it expired, or the user steered. */
export async function resumeCall(session: WorkerSession, step: ResumeStep): Promise<void> {
  const { action, why } = step;
  const tool = session.agent.tools.find(({ spec }) => spec.id === action.tool);
  const refusal = refusalOf(step);
  const closing = closeApproval(step.call, closingOf(step));
  if (refusal || !tool) {
    const error = refusal ?? missingTool(session.agent, action.tool);
    const result = await refusedResult(session, action, error);
    // An answer that arrived in time but after the plan was made still counts.
    const rules = why === 'expired' ? { expectHead: session.conversation.view.head } : {};
    await session.conversation.append([...closing, result], rules);
    return;
  }
  const round = session.turn.rounds.at(-1);
  using work = session.interruptible(round?.asOf ?? 0);
  const { admitted } = admissionOf(round, action.call);
  const running = { action, tool, round, signal: work.signal, admitted };
  if (step.wait.for === 'approval') await continueAllowed(session, step, { running, closing });
  else await takeExternalAnswer(session, step, running);
}

/** A client has performed the call: a later steer does not discard its answer. */
async function takeExternalAnswer(
  session: WorkerSession,
  step: ResumeStep,
  running: ToolRun,
): Promise<void> {
  const { signal } = session.conversation;
  await session.conversation.append(
    await runTool(session, { ...running, signal, ...answerOf(step) }),
  );
}

/**
 * The approval is on the log before anything starts, so that a call which never started is not taken for one in
 * doubt.
 */
async function continueAllowed(
  session: WorkerSession,
  step: ResumeStep,
  { running, closing }: { running: ToolRun; closing: readonly Draft[] },
): Promise<void> {
  const { signal } = running;
  if (isSteered(signal)) {
    const result = await refusedResult(session, running.action, notExecuted(signal));
    await session.conversation.append([...closing, result]);
    return;
  }
  const changeNotice = inputChangeNotice(step);
  // No guard has seen the input that a person edited.
  const admitted = running.admitted && changeNotice.length === 0;
  const next = await checkBeforeCall(session, { ...running, admitted, approved: true });
  const before = [...closing, ...changeNotice, ...next.blocks];
  if (next.error) {
    const result = await refusedResult(session, running.action, next.error);
    await session.conversation.append([...before, result]);
    return;
  }
  await session.conversation.append(before);
  if (next.waits) return;
  const now = { ...running, admitted: admitted || next.admission?.ok === true };
  await session.conversation.append(await runTool(session, now));
}

/** Undefined: the call may continue. */
function refusalOf(step: ResumeStep): ToolError | undefined {
  return step.wait.for === 'approval' ? approvalRefusal(step) : clientRefusal(step);
}

function approvalRefusal({ action: { tool }, wait, why }: ResumeStep): ToolError | undefined {
  if (why === 'steered') {
    const message = `The user stopped or redirected you before anyone allowed ${tool}. It did not run.`;
    return { code: 'not_executed', message, retryable: true };
  }
  if (why === 'expired') {
    const message = `Nobody allowed ${tool} within ${waitSeconds(wait.request, wait.untilMs)}. It did not run; go on without it.`;
    return { code: 'denied', message, retryable: false };
  }
  if (decisionOf(wait.answer)?.allow) return undefined;
  return {
    code: 'denied',
    message: `The user said no to ${tool}. It did not run. ${denialAdvice}`,
    retryable: false,
  };
}

function clientRefusal({ action: { tool }, call, wait, why }: ResumeStep): ToolError | undefined {
  if (why === 'answered') return undefined;
  // The tool says that the task goes on.
  if (why === 'expired' && dataOf('external.call', wait.request)?.task) return undefined;
  const { effects = 'unkeyed' } = dataOf('react.tool.call', call.request) ?? {};
  const unkeyed = effects === 'unkeyed';
  const doubt = unkeyed ? ' In doubt: a client may have begun it. Check before you repeat it.' : '';
  const rest = { retryable: !unkeyed };
  if (why === 'steered') {
    return {
      code: 'interrupted',
      message: `Stopped by the user before a client had answered.${doubt}`,
      ...rest,
    };
  }
  const message = `No client performed ${tool} within ${waitSeconds(wait.request, wait.untilMs)}.${doubt}`;
  return { code: 'timeout', message, ...rest };
}

function closingOf({ call, wait, why }: ResumeStep): ApprovalOutcome {
  if (why !== 'answered') return { outcome: why === 'expired' ? 'expired' : 'interrupted' };
  const { allow = false, remember } = decisionOf(wait.answer) ?? {};
  if (!allow) return { outcome: 'denied', remember: remember ?? 'once' };
  const offered = call.approval && dataOf('approval.request', call.approval.request)?.remember;
  return { outcome: 'allowed', remember: remember ?? offered ?? 'once' };
}

function decisionOf(answer: Block | undefined) {
  return answer && dataOf('approval.decision', answer);
}

/** The model must know what a person changed: the timeline shows the call as the model made it. */
function inputChangeNotice({ call, wait, action }: ResumeStep): readonly Draft[] {
  const input = decisionOf(wait.answer)?.input;
  const shown = dataOf('approval.request', wait.request)?.input;
  if (input === undefined || JSON.stringify(input) === JSON.stringify(shown)) return [];
  const { turn } = call.request;
  return [
    {
      type: 'react.notice',
      turn,
      author: 'system',
      call: action.call,
      path: paths.callNotice(turn, action.call),
      text: `The user allowed this call with another input: ${brief(JSON.stringify(input), changedInputCharsMax)}`,
      data: { code: 'input_changed' },
    },
  ];
}

function answerOf({ wait }: ResumeStep): { answer?: ExternalAnswer } {
  const result = wait.answer && dataOf('external.result', wait.answer);
  if (!result) return {};
  const { ok, ret = null, error } = result;
  const { code = 'tool_failed', message = 'The client could not do it.' } = error ?? {};
  return { answer: ok ? { ok, ret } : { ok: false, error: { code, message } } };
}

function waitSeconds({ at }: Block, untilMs: number): string {
  return `${Math.round((untilMs - Date.parse(at)) / 1_000)} s`;
}
