import { isJsonObject, type JsonObject } from '../base/json.ts';
import { acknowledge } from '../timeline/acknowledge.ts';
import type { Draft } from '../timeline/block.ts';
import { paths } from '../timeline/paths.ts';
import type { RoundView, TurnView } from '../timeline/view.ts';
import { type CallRequest, performCall } from '../tools/call.ts';
import { toResultDraft } from '../tools/result-draft.ts';
import type { CallContext, ClientAnswer, Tool, ToolError } from '../tools/tool.ts';
import { createTurnServices } from '../tools/turn-services.ts';
import type { ToolAction } from './actions.ts';
import { placeOf } from './close.ts';
import { consider, type First, nothingFirst } from './consider.ts';
import type { Step } from './plan.ts';
import type { Visit } from './visit.ts';

/**
 * One tool call: the intent is in the log before the effect starts, the result and everything the call made come in
 * one append (I3, I4). A call whose owner died is repeated only where that is harmless; else it is told to be in doubt.
 */
export async function act(
  visit: Visit,
  { action, repeated }: Extract<Step, { do: 'act' }>,
): Promise<void> {
  const { turn } = visit;
  const round = turn.rounds.at(-1);
  const tool = visit.agent.tools.find(({ spec }) => spec.id === action.tool);
  const inactive = visit.agent.inactiveTools;
  const refused = await told(refusal(turn, { action, tool, repeated, inactive }), { action, tool });
  const context = (signal: AbortSignal) => contextOf(visit, { action, round, signal });
  const first =
    refused || repeated ? nothingFirst : await consider(visit, { action, tool, round, context });
  const begun = [...ticks(visit, action), intent(turn, { action, tool, waits: first.waits })];
  if (!repeated) await visit.owned.append([...begun, ...first.blocks]);
  if (first.waits) return;
  const no = refused ?? first.error;
  if (no || !tool) {
    await visit.owned.append([await refusedResult(visit, action, no ?? notFound(action.tool))]);
    return;
  }
  await visit.owned.append(await perform(visit, { action, tool, round }));
}

/** Marks in the notes tick off the plan that is open when the call begins; a new plan has no marks yet. */
function ticks(visit: Visit, { notes, tool, input }: ToolAction): readonly Draft[] {
  const { mode } = input;
  if (tool === 'react.plan' && mode !== 'close') return [];
  return acknowledge(notes, visit.owned.view, { turn: visit.turn.id, now: visit.now });
}

type Call = { readonly action: ToolAction; readonly tool: Tool | undefined };

function intent(turn: TurnView, { action, tool, waits }: Call & Pick<First, 'waits'>): Draft {
  const { call, input, notes } = action;
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
    },
  };
}

function refusal(
  turn: TurnView,
  { action, tool, repeated, inactive }: Call & { repeated: boolean; inactive: readonly string[] },
): ToolError | undefined {
  if (!tool)
    return inactive.includes(action.tool) ? notVisible(action.tool) : notFound(action.tool);
  if (repeated && tool.spec.effects === 'unkeyed') return inDoubt;
  const most = tool.spec.callsPerTurn;
  const made = turn.rounds
    .flatMap((round) => round.calls)
    .filter((call) => call.tool === action.tool).length;
  const before = repeated ? made - 1 : made;
  if (most === undefined || before < most) return undefined;
  const message = `${action.tool} may be called ${most} times a turn and has been; go on without it.`;
  return { code: 'denied', message, retryable: false };
}

const inDoubt: ToolError = {
  code: 'interrupted',
  message:
    'The work was interrupted while this call ran, and it is in doubt whether it took effect. Check before you repeat it.',
  retryable: false,
};

/** With what the tool itself knows of a call in doubt. */
async function told(error: ToolError | undefined, { action, tool }: Call) {
  if (error !== inDoubt || !tool?.lost) return error;
  const known = await tool.lost(action.call);
  return known === '' ? error : { ...error, message: `${error.message}\n${known}` };
}

export function notFound(tool: string): ToolError {
  const message = `There is no tool “${tool}” here. Use an id from the catalogue, exactly as it is written there.`;
  return { code: 'tool_not_found', message, retryable: true };
}

function notVisible(tool: string): ToolError {
  const message = `${tool} is switched off for this turn. Go on without it.`;
  return { code: 'tool_not_visible', message, retryable: false };
}

/** The result of a call that did not run. */
export async function refusedResult(
  visit: Visit,
  action: ToolAction,
  error: ToolError,
): Promise<Draft> {
  const { tenant } = visit.owned.lease.row;
  const place = { tenant, turn: visit.turn.id, call: action.call };
  const text = `${error.code}: ${error.message}`;
  return toResultDraft(place, { result: { ok: false, error }, text }, visit.engine.blobs);
}

export type Running = {
  readonly action: ToolAction;
  readonly tool: Tool;
  readonly round: RoundView | undefined;
  /** Of the client that performed it. */
  readonly answer?: ClientAnswer;
};

/** The call itself; nobody need be asked about it any more. What is returned is all there is to append. */
export async function perform(
  visit: Visit,
  { action, tool, round, answer }: Running,
): Promise<readonly Draft[]> {
  using work = visit.interruptible(round?.asOf ?? 0);
  visit.owned.assertOwner();
  const { blocks } = await performCall({
    tool,
    input: action.input,
    context: {
      ...contextOf(visit, { action, round, signal: work.signal }),
      approved: action.call,
      ...(answer ? { answer } : {}),
    },
    blobs: visit.engine.blobs,
  });
  return blocks;
}

type Placed = {
  readonly action: ToolAction;
  readonly round: RoundView | undefined;
  readonly signal: AbortSignal;
};

export function contextOf(visit: Visit, { action, round, signal }: Placed): CallRequest['context'] {
  const { engine, owned, turn } = visit;
  const { row } = owned.lease;
  const scope = { tenant: row.tenant, project: row.project, user: row.user };
  const { call } = action;
  const place = { ...placeOf(turn), call };
  const code = codeOf(round, call);
  return {
    scope,
    conversation: row.id,
    ...place,
    key: call,
    signal,
    now: visit.now,
    contextTokens: visit.agent.context.maxTokens,
    view: owned.view,
    ...(code ? { code } : {}),
    ...(action.stream === undefined ? {} : { stream: action.stream }),
    programs: { tools: visit.agent.tools, ...visit.agent.exec },
    services: createTurnServices({
      scope,
      conversation: row.id,
      key: row.key,
      ...place,
      view: owned.view,
      store: engine.store,
      ...(engine.embedder ? { embedder: engine.embedder } : {}),
      blobs: engine.blobs,
      signal,
      publish: (piece) => visit.publisher.piece(place, piece),
      ledger: visit.ledger,
      resolvers: visit.resolvers,
    }),
  };
}

/** The program that was written for this call. */
function codeOf(round: RoundView | undefined, call: string): CallContext['code'] {
  const block = round?.blocks.find((each) => each.type === 'react.code' && each.call === call);
  if (block?.text === undefined) return undefined;
  const data: JsonObject = isJsonObject(block.data) ? block.data : {};
  return {
    text: block.text,
    language: data['language'] === 'javascript' ? 'javascript' : 'python',
  };
}
