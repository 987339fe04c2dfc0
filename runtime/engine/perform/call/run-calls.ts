import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { paths } from '../../../timeline/paths.ts';
import { acknowledge } from '../../../timeline/plans/acknowledge.ts';
import type { RoundView, TurnView } from '../../../timeline/view.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { notExecuted } from '../../../tools/results/call-error.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { Act } from '../../plan/plan-call.ts';
import { repetitionNotices } from '../../plan/repetition.ts';
import { isSteer, type Visit } from '../../session/session.ts';
import { type Call, inDoubt, notFound, refusal } from './call-refusal.ts';
import { consider, type First, nothingFirst } from './pre-call.ts';
import { doubtOf, perform, type Running, recover, refusedResult } from './run-tool.ts';

/**
 * Tool calls that may run side by side: their intents are in the log before any effect starts; the result of each and
 * everything it made come in one append (I3, I4), as soon as it has ended. A call whose owner died is repeated only
 * where that is harmless; else it is told to be in doubt.
 */
export async function act(visit: Visit, step: Act): Promise<void> {
  using work = visit.interruptible(visit.turn.rounds.at(-1)?.asOf ?? 0);
  const { signal } = work;
  const begun: Begun[] = [];
  for (const call of sideBySide(visit, step)) begun.push(await begin(visit, call, signal));
  const intents = begun.flatMap((each) => each.drafts);
  const fresh = step.repeated ? [] : begun.map(({ call }) => call.action);
  const drafts = [...intents, ...repetitionNotices(visit.turn, fresh, intents)];
  if (drafts.length > 0) await visit.owned.append(drafts);
  const running = begun.filter(({ waits }) => !waits);
  await endAll(visit, running, signal);
}

/** The first call, and those behind it up to one that must be alone or must be asked about. */
function sideBySide({ agent }: Visit, { action, next, repeated }: Act): readonly Call[] {
  const all = [action, ...next].map((each, index, actions) => ({
    action: each,
    tool: agent.tools.find(({ spec }) => spec.id === each.tool),
    repeated,
    ahead: actions.slice(0, index).filter(({ tool }) => tool === each.tool).length,
  }));
  const end = all.findIndex(({ tool }) => tool?.spec.concurrency !== 'safe' || tool.consider);
  return all.slice(0, end === -1 ? all.length : Math.max(end, 1));
}

type Begun = {
  readonly call: Call;
  /** Its intent, and what is asked before it; nothing for one that was begun by a dead owner. */
  readonly drafts: readonly Draft[];
  readonly waits: boolean;
  readonly no: ToolError | undefined;
  /** Guards have let it pass. */
  readonly admitted: boolean;
};

async function begin(visit: Visit, call: Call, signal: AbortSignal): Promise<Begun> {
  const { turn } = visit;
  const { action, tool, repeated } = call;
  // Nothing is asked about a call that will not begin.
  const refused = !repeated && isSteer(signal) ? notExecuted(signal) : refusal(visit, call);
  const round = turn.rounds.at(-1);
  if (repeated) {
    const { no = refused, admitted } = admissionOf(round, action.call);
    return { call, drafts: [], waits: false, no, admitted };
  }
  const considering = { action, tool, round, signal, approved: false };
  const first = refused ? nothingFirst : await consider(visit, considering);
  const { admission } = first;
  const input = admission?.ok ? admission.input : action.input;
  const begun = { ...call, action: { ...action, input } };
  const drafts = [...ticks(visit, action), intent(turn, begun, first), ...first.blocks];
  const waits = first.waits !== undefined;
  return {
    call: begun,
    drafts,
    waits,
    no: refused ?? first.error,
    admitted: admission?.ok === true,
  };
}

/** What guards said of a call that is on the log. */
export function admissionOf(round: RoundView | undefined, id: string) {
  const asked = round?.calls.find(({ call }) => call === id)?.asked;
  const admission = asked && dataOf('react.tool.call', asked)?.admission;
  if (admission?.ok === false) {
    const { code, message, retryable } = admission.error;
    return { no: { code, message, retryable }, admitted: false };
  }
  return { admitted: admission?.ok === true };
}

/** A call that cannot be written down does not leave the others running on their own. */
async function endAll(visit: Visit, begun: readonly Begun[], signal: AbortSignal): Promise<void> {
  const round = visit.turn.rounds.at(-1);
  const ends = begun.map(async (each) => {
    await visit.owned.append(await end(visit, each, { round, signal }));
  });
  const ended = await Promise.allSettled(ends);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function end(
  visit: Visit,
  { call: { action, tool, repeated }, no, admitted }: Begun,
  way: Pick<Running, 'round' | 'signal'>,
): Promise<readonly Draft[]> {
  if (no || !tool) {
    const result = await refusedResult(visit, action, no ?? notFound(action.tool));
    return no === inDoubt ? [doubtOf(visit, action), result] : [result];
  }
  const running = { action, tool, admitted, repeated, ...way };
  return repeated && tool.recover ? recover(visit, running, tool.recover) : perform(visit, running);
}

/** Marks in the notes tick off the plan that is open when the call begins; a new plan has no marks yet. */
function ticks(visit: Visit, { notes, tool, input }: ToolAction): readonly Draft[] {
  const { mode } = input;
  if (tool === 'react.plan' && mode !== 'close') return [];
  return acknowledge(notes, visit.owned.view, { turn: visit.turn.id, now: visit.now });
}

function intent(turn: TurnView, { action, tool }: Call, { waits, admission }: First): Draft {
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
