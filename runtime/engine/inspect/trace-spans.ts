import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { CallView, RoundView, TurnView, View } from '../../timeline/view.ts';
import { kindOf } from './round-list.ts';

export type SpanKind =
  | 'turn'
  | 'round'
  | 'model'
  | 'tool'
  | 'program'
  | 'phase'
  | 'agent'
  | 'client'
  | 'approval';

/** A stretch of time in a turn. Times in epoch milliseconds. */
export type TraceSpan = {
  /** Unique in its conversation: the kind and the seq of the block with which it begins. */
  readonly id: string;
  readonly parent?: string;
  readonly turn: string;
  readonly kind: SpanKind;
  readonly name: string;
  readonly block: number;
  readonly fromMs: number;
  /** Absent: it has not ended. */
  readonly toMs?: number;
  readonly error?: string;
  readonly facts: JsonObject;
};

/** The spans of some turns, parents first. `view` holds all turns, see `foldArchive`. */
export function spansOfTurns(
  { turns }: Pick<View, 'turns'>,
  isWanted: (turn: TurnView) => boolean,
): readonly TraceSpan[] {
  return turns.filter(isWanted).flatMap(spansOfTurn);
}

function spansOfTurn(turn: TurnView): readonly TraceSpan[] {
  const closing = turn.blocks.findLast(({ type }) => type === 'turn.close');
  const { bundle, agent } = isJsonObject(turn.data) ? turn.data : {};
  const { reason, error } = isJsonObject(closing?.data) ? closing.data : {};
  const whole: TraceSpan = {
    ...place('turn', turn.openSeq, turn.id),
    name: [bundle, agent].filter((each) => typeof each === 'string').join('/') || 'turn',
    fromMs: Date.parse(turn.openedAt),
    ...(closing ? { toMs: Date.parse(closing.at) } : {}),
    ...errorOf(error),
    facts: { reason: reason ?? null },
  };
  const inRounds = new Set(turn.rounds.flatMap(({ blocks }) => blocks));
  const beside = turn.blocks.filter((block) => block.type === 'model.call' && !inRounds.has(block));
  const asked = turn.approvals.map(({ request, closed }) =>
    approvalSpan({ request, closed, parent: whole.id }),
  );
  return [
    whole,
    ...asked,
    ...beside.map((call) => modelSpan(call, whole.id)),
    ...turn.rounds.flatMap((round) => spansOfRound(round, { turn, parent: whole.id })),
  ];
}

type Above = { readonly turn: TurnView; readonly parent: string };

function spansOfRound(round: RoundView, { turn, parent }: Above): readonly TraceSpan[] {
  const [open] = round.blocks;
  const closing = round.blocks.findLast(({ type }) => type === 'round.close');
  const { outcome, error } = isJsonObject(closing?.data) ? closing.data : {};
  const whole: TraceSpan = {
    ...place('round', round.openSeq, turn.id),
    parent,
    name: `round ${round.number}`,
    fromMs: Date.parse(open?.at ?? turn.openedAt),
    ...(closing ? { toMs: Date.parse(closing.at) } : {}),
    ...errorOf(error),
    facts: { phase: round.phase, outcome: outcome ?? null },
  };
  const models = round.blocks.filter(({ type }) => type === 'model.call');
  return [
    whole,
    ...models.map((call) => modelSpan(call, whole.id)),
    ...round.calls.flatMap((call) => spansOfCall(call, whole.id)),
  ];
}

/** A `model.call` is written when the call has ended. */
function modelSpan(call: Block, parent: string): TraceSpan {
  const data = isJsonObject(call.data) ? call.data : {};
  const toMs = Date.parse(call.at);
  const { model, role, finish, ms, usage, first_token_ms: first, cost_usd: cost } = data;
  const used = isJsonObject(usage) ? usage : {};
  return {
    ...place('model', call.seq, call.turn),
    parent,
    name: typeof model === 'string' ? model : 'model',
    fromMs: toMs - (typeof ms === 'number' ? ms : 0),
    toMs,
    facts: { role: role ?? 'decision', finish: finish ?? null, ...used, ...timing(first, cost) },
  };
}

function timing(first: Json | undefined, cost: Json | undefined): JsonObject {
  return {
    ...(typeof first === 'number' ? { first_token_ms: first } : {}),
    ...(typeof cost === 'number' ? { cost_usd: cost } : {}),
  };
}

function spansOfCall(view: CallView, parent: string): readonly TraceSpan[] {
  const { request, result, approval, escalation, tool } = view;
  const { ok, error } = (result && dataOf('react.tool.result', result)) ?? {};
  const span: TraceSpan = {
    ...place(kindOf(view) === 'program' ? 'program' : kindOf(view), request.seq, request.turn),
    parent,
    name: tool,
    fromMs: Date.parse(request.at),
    ...(result ? { toMs: Date.parse(result.at) } : {}),
    ...(ok === false && error ? { error: `${error.code}: ${error.message}` } : {}),
    facts: { call: request.call ?? '', ...childOf(view) },
  };
  const waits = [approval, escalation].flatMap((asked) =>
    asked ? approvalSpan({ request: asked.request, closed: asked.closed, parent: span.id }) : [],
  );
  return [span, ...waits, ...phasesOf(span, result)];
}

/** The conversation of a delegated agent. */
function childOf({ delegated }: CallView): JsonObject {
  const data = delegated && dataOf('agent.call', delegated);
  return data ? { conversation: data.conversation, agent: data.agent } : {};
}

type Approval = {
  readonly request: Block;
  readonly closed?: Block | undefined;
  readonly parent: string;
};

function approvalSpan({ request, closed, parent }: Approval): TraceSpan {
  const outcome = closed && dataOf('approval.close', closed)?.outcome;
  return {
    ...place('approval', request.seq, request.turn),
    parent,
    name: dataOf('approval.request', request)?.title ?? 'approval',
    fromMs: Date.parse(request.at),
    ...(closed ? { toMs: Date.parse(closed.at) } : {}),
    facts: { outcome: outcome ?? null },
  };
}

const phases = ['prepare', 'ready', 'run', 'collect'] as const;

/** What an execution spent its time on: its phases follow each other and end with the result. */
function phasesOf(program: TraceSpan, result: Block | undefined): readonly TraceSpan[] {
  const data = result && dataOf('react.tool.result', result);
  const spent = isJsonObject(data?.ret) ? data.ret['phases_ms'] : undefined;
  if (!isJsonObject(spent) || program.toMs === undefined) return [];
  const times = phases.map((name) => ({ name, ms: Number(spent[name] ?? 0) || 0 }));
  let fromMs = program.toMs - times.reduce((sum, { ms }) => sum + ms, 0);
  return times.map(({ name, ms }) => {
    const span: TraceSpan = {
      ...place('phase', program.block, program.turn),
      id: `phase.${program.block}.${name}`,
      parent: program.id,
      name,
      fromMs,
      toMs: fromMs + ms,
      facts: {},
    };
    fromMs += ms;
    return span;
  });
}

function place(kind: SpanKind, block: number, turn: string) {
  return { id: `${kind}.${block}`, turn, kind, block };
}

function errorOf(error: Json | undefined): { readonly error?: string } {
  if (!isJsonObject(error)) return {};
  return {
    error: [error['code'], error['message']].filter((each) => each !== undefined).join(': '),
  };
}
