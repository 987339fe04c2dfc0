import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { paths } from '../../../timeline/paths.ts';
import type { RoundView, TurnView } from '../../../timeline/view.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { notExecuted } from '../../../tools/results/call-error.ts';
import { concurrentCallsMax } from '../../limits.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { ActStep } from '../../plan/plan-call.ts';
import { repetitionNotices } from '../../plan/repetition.ts';
import { isSteered, type WorkerSession } from '../../session/session.ts';
import { callRefusal, inDoubt, missingTool, type RequestedCall } from './call-refusal.ts';
import { planTicks } from './plan-ticks.ts';
import { checkBeforeCall, emptyPreCall, type PreCallResult } from './pre-call.ts';
import { inDoubtDraft, recoverCall, refusedResult, runTool, type ToolRun } from './run-tool.ts';

/**
 * Tool calls that may run in parallel. Their intents are on the log before any effect starts; the result of each call
 * and everything it produced share one append (I3, I4), as soon as the call has ended. A call whose owner died is
 * repeated only if that is harmless; otherwise it is reported as in doubt.
 */
export async function runCalls(session: WorkerSession, step: ActStep): Promise<void> {
  using work = session.interruptible(session.turn.rounds.at(-1)?.asOf ?? 0);
  const { signal } = work;
  const started: StartedCall[] = [];
  for (const call of parallelCalls(session, step))
    started.push(await startCall(session, call, signal));
  const intents = started.flatMap((each) => each.drafts);
  const fresh = step.repeated ? [] : started.map(({ call }) => call.action).filter(isExecuted);
  const drafts = [...intents, ...repetitionNotices(session.turn, fresh, intents)];
  if (drafts.length > 0) await session.conversation.append(drafts);
  const running = started.filter(({ waits }) => !waits);
  await finishCalls(session, running, signal);
}

/** The first call, and the following ones up to one that must run alone or needs a question. */
function parallelCalls(
  { agent }: WorkerSession,
  { action, next, repeated }: ActStep,
): readonly RequestedCall[] {
  const all = [action, ...next].map((each, index, actions) => ({
    action: each,
    tool: agent.tools.find(({ spec }) => spec.id === each.tool),
    repeated,
    ahead: actions.slice(0, index).filter(({ tool }) => tool === each.tool).length,
  }));
  const end = all.findIndex(
    ({ action: { declined }, tool }) =>
      declined === undefined && (tool?.spec.concurrency !== 'safe' || tool.consider),
  );
  return all.slice(0, Math.min(end === -1 ? all.length : Math.max(end, 1), concurrentCallsMax));
}

function isExecuted({ declined }: ToolAction): boolean {
  return declined === undefined;
}

type StartedCall = {
  readonly call: RequestedCall;
  /** Its intent and the question before it; empty for a call that a dead owner started. */
  readonly drafts: readonly Draft[];
  readonly waits: boolean;
  readonly refusal: ToolError | undefined;
  /** The guards have admitted the call. */
  readonly admitted: boolean;
};

async function startCall(
  session: WorkerSession,
  call: RequestedCall,
  signal: AbortSignal,
): Promise<StartedCall> {
  const { turn } = session;
  const { action, tool, repeated } = call;
  // A call that will not start needs no question.
  const refused = !repeated && isSteered(signal) ? notExecuted(signal) : callRefusal(session, call);
  const round = turn.rounds.at(-1);
  if (repeated) {
    const { refusal = refused, admitted } = admissionOf(round, action.call);
    return { call, drafts: [], waits: false, refusal, admitted };
  }
  const considering = { action, tool, round, signal, approved: false };
  const preCall = refused ? emptyPreCall : await checkBeforeCall(session, considering);
  const { admission } = preCall;
  const input = admission?.ok ? admission.input : action.input;
  const started = { ...call, action: { ...action, input } };
  const drafts = [...planTicks(session, action), intent(turn, started, preCall), ...preCall.blocks];
  const waits = preCall.waits !== undefined;
  return {
    call: started,
    drafts,
    waits,
    refusal: refused ?? preCall.error,
    admitted: admission?.ok === true,
  };
}

/** The verdict of the guards on a call that is on the log. */
export function admissionOf(round: RoundView | undefined, id: string) {
  const asked = round?.calls.find(({ call }) => call === id)?.request;
  const admission = asked && dataOf('react.tool.call', asked)?.admission;
  if (admission?.ok === false) {
    const { code, message, retryable } = admission.error;
    return { refusal: { code, message, retryable }, admitted: false };
  }
  return { admitted: admission?.ok === true };
}

/** If one call cannot be written, the others are still awaited. */
async function finishCalls(
  session: WorkerSession,
  started: readonly StartedCall[],
  signal: AbortSignal,
): Promise<void> {
  const round = session.turn.rounds.at(-1);
  const finishing = started.map(async (each) => {
    await session.conversation.append(await finishCall(session, each, { round, signal }));
  });
  const ended = await Promise.allSettled(finishing);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

async function finishCall(
  session: WorkerSession,
  { call: { action, tool, repeated }, refusal, admitted }: StartedCall,
  context: Pick<ToolRun, 'round' | 'signal'>,
): Promise<readonly Draft[]> {
  if (refusal || !tool) {
    const error = refusal ?? missingTool(session.agent, action.tool);
    const result = await refusedResult(session, action, error);
    return refusal === inDoubt ? [inDoubtDraft(session, action), result] : [result];
  }
  const running = { action, tool, admitted, repeated, ...context };
  return repeated && tool.recover
    ? recoverCall(session, running, tool.recover)
    : runTool(session, running);
}

function intent(
  turn: TurnView,
  { action, tool }: RequestedCall,
  { waits, admission }: PreCallResult,
): Draft {
  const { call, input, notes } = action;
  const said = admission?.ok ? { ok: true } : admission;
  return {
    type: 'react.tool.call',
    turn: turn.id,
    author: 'agent',
    call,
    path: paths.call(turn.id, call),
    data: {
      tool: action.tool,
      input,
      key: call,
      effects: tool?.spec.effects ?? 'none',
      notes,
      ...(waits ? { waits } : {}),
      ...(said ? { admission: said } : {}),
    },
  };
}
