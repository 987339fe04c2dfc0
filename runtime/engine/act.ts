import { acknowledge } from '../timeline/acknowledge.ts';
import type { Draft } from '../timeline/block.ts';
import { dataOf } from '../timeline/catalogue.ts';
import { paths } from '../timeline/paths.ts';
import type { RoundView, TurnView } from '../timeline/view.ts';
import type { Tool, ToolError } from '../tools/tool.ts';
import { exhausted } from '../tools/turn-budget.ts';
import type { ToolAction } from './actions.ts';
import { leftMs } from './budget.ts';
import { consider, type First, nothingFirst } from './consider.ts';
import { doubtOf, perform, type Running, recover, refusedResult } from './perform.ts';
import type { Act } from './plan-call.ts';
import type { Visit } from './visit.ts';

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
  const drafts = begun.flatMap((each) => each.drafts);
  if (drafts.length > 0) await visit.owned.append(drafts);
  const running = begun.filter(({ waits }) => !waits);
  await endAll(visit, running, signal);
}

type Call = {
  readonly action: ToolAction;
  readonly tool: Tool | undefined;
  readonly repeated: boolean;
  /** How many calls of the same tool begin before it in the same step. */
  readonly ahead: number;
};

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
  const refused = refusal(visit, call);
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
  const running = { action, tool, admitted, ...way };
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

function refusal(visit: Visit, { action, tool, repeated, ahead }: Call): ToolError | undefined {
  const { turn, agent, ledger } = visit;
  if (!tool)
    return agent.inactiveTools.includes(action.tool)
      ? notVisible(action.tool)
      : notFound(action.tool);
  if (repeated && tool.spec.effects === 'unkeyed' && !tool.recover) return inDoubt;
  if (!repeated && isLate(visit, tool)) {
    const { code, message } = exhausted('its time is over, and no tool begins any more.');
    return { code, message, retryable: false };
  }
  const most = tool.spec.callsPerTurn;
  const made = turn.rounds
    .flatMap((round) => round.calls)
    .filter((call) => call.tool === action.tool).length;
  const inPrograms = ledger.programCalls.get(action.tool) ?? 0;
  const before = (repeated ? made - 1 : made) + ahead + inPrograms;
  if (most === undefined || before < most) return undefined;
  const message = `${action.tool} may be called ${most} times a turn and has been; go on without it.`;
  return { code: 'denied', message, retryable: false };
}

/** What the model wrote, and wants kept or read, takes no time. */
function isLate({ turn, budgets, engine }: Visit, { spec }: Tool): boolean {
  const { wallMs } = budgets;
  return spec.kind !== 'control' && leftMs(turn, { wallMs, now: engine.clock.now() }) <= 0;
}

const inDoubt: ToolError = {
  code: 'interrupted',
  message:
    'The worker was lost while this call ran; nobody stopped it. It is in doubt whether it took effect. Check before you repeat it.',
  retryable: false,
};

export function notFound(tool: string): ToolError {
  const message = `There is no tool “${tool}” here. Use an id from the catalogue, exactly as it is written there.`;
  return { code: 'tool_not_found', message, retryable: true };
}

function notVisible(tool: string): ToolError {
  const message = `${tool} is switched off for this turn. Go on without it.`;
  return { code: 'tool_not_visible', message, retryable: false };
}
