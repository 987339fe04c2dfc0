import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { Miss } from '../../timeline/cache/explain.ts';
import type { LedgerCall } from '../../timeline/cache/ledger.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { CallView, RoundView, TurnView, View } from '../../timeline/view.ts';
import { namedModelOf } from '../agent/turn-data.ts';
import { usageOf } from '../model/usage.ts';

/** What a round spent its time on, in order. Absent `ms`: it has not ended. */
export type RoundStep = {
  readonly kind: 'model' | 'tool' | 'program' | 'agent' | 'client' | 'approval';
  readonly name: string;
  /** Seq of the block with which it begins. */
  readonly block: number;
  readonly ms?: number;
  readonly ok?: boolean;
};

export type RoundRow = {
  /** Seq of its `round.open`. */
  readonly seq: number;
  readonly round: number;
  readonly phase: string;
  readonly asOf: number;
  readonly at: string;
  readonly ms?: number;
  readonly outcome?: string;
  readonly model?: string;
  readonly finish?: string;
  /** Seq of the decision's `model.call`. */
  readonly reply?: number;
  readonly firstTokenMs?: number;
  /** Of all model calls of the round. */
  readonly usage: JsonObject;
  /** The largest cause of input tokens that were not read from a cache; new content and the tail only without another cause. */
  readonly miss?: Miss;
  readonly steps: readonly RoundStep[];
};

export type TurnRow = {
  readonly turn: string;
  readonly seq: number;
  readonly at: string;
  readonly agent?: string;
  readonly ms?: number;
  readonly reason?: string;
  readonly error?: Json;
  readonly prompt: string;
  /** Seq of the block that has the whole prompt. */
  readonly promptBlock?: number;
  /** The model that the turn named instead of its agent's. */
  readonly model?: string;
  /** In a fork: the edited result from which the turn went on. */
  readonly resumed?: Json;
  /** The turn that this one runs again. */
  readonly rerunOf?: Json;
  /** Events that arrived while the turn was open. */
  readonly events: readonly EventRow[];
  readonly answers: readonly { readonly block: number; readonly text: string }[];
  readonly usage: JsonObject;
  /** The feedback that counts. */
  readonly feedback?: { readonly block: number; readonly reaction: string; readonly text: string };
  readonly rounds: readonly RoundRow[];
};

type EventRow = {
  readonly block: number;
  readonly type: string;
  readonly at: string;
  readonly text: string;
  /** Seq of the round that saw it first. */
  readonly seenBy?: number;
};

type Inputs = {
  readonly blocks: readonly Block[];
  /** The view with all turns, see `foldArchive`. */
  readonly view: View;
  readonly ledger: readonly LedgerCall[];
  /** Longest text of a prompt, an event or an answer. */
  readonly textCharsMax: number;
};

/** Every turn with its rounds: what happened, how long it took and what it cost. */
export function turnRows({ blocks, view, ledger, textCharsMax }: Inputs): readonly TurnRow[] {
  const misses = new Map(ledger.map(({ seq, misses: found }) => [seq, found]));
  const feedback = feedbackIn(blocks, textCharsMax);
  return view.turns.map((turn) => ({
    ...toTurnRow(turn, { misses, textCharsMax }),
    ...optional('feedback', feedback.get(turn.id)),
  }));
}

/** By turn; later feedback replaces earlier, and null takes it back. */
function feedbackIn(
  blocks: readonly Block[],
  textCharsMax: number,
): ReadonlyMap<string, NonNullable<TurnRow['feedback']>> {
  const found = new Map<string, NonNullable<TurnRow['feedback']>>();
  for (const block of blocks) {
    const said = block.type === 'feedback' ? dataOf('feedback', block) : undefined;
    if (!said) continue;
    const text = (block.text ?? '').slice(0, textCharsMax).toWellFormed();
    if (said.reaction === null) found.delete(said.turn_id);
    else found.set(said.turn_id, { block: block.seq, reaction: said.reaction, text });
  }
  return found;
}

type RowContext = {
  readonly misses: ReadonlyMap<number, readonly Miss[]>;
  readonly textCharsMax: number;
};

function toTurnRow(turn: TurnView, known: RowContext): TurnRow {
  const { bundle, agent, rerun_of: rerunOf } = isJsonObject(turn.data) ? turn.data : {};
  const closing = turn.blocks.findLast(({ type }) => type === 'turn.close');
  const { reason, error } = isJsonObject(closing?.data) ? closing.data : {};
  const cut = (text = '') => text.slice(0, known.textCharsMax).toWellFormed();
  const [first] = turn.events;
  return {
    turn: turn.id,
    seq: turn.openSeq,
    at: turn.openedAt,
    ...(typeof agent === 'string' ? { agent: `${String(bundle)}/${agent}` } : {}),
    ...(closing ? { ms: between(turn.resumed?.at ?? turn.openedAt, closing.at) } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(error === undefined ? {} : { error }),
    prompt: cut(first?.text),
    ...optional('promptBlock', first?.seq),
    ...optional('model', namedModelOf(turn)),
    ...optional('rerunOf', rerunOf),
    ...optional('resumed', editedIn(turn)),
    events: turn.events.slice(1).map((event) => ({
      block: event.seq,
      type: event.type,
      at: event.at,
      text: cut(event.text),
      ...seenBy(event, turn),
    })),
    answers: turn.completions.map(({ seq, text }) => ({ block: seq, text: cut(text) })),
    usage: usageOf(turn.blocks),
    rounds: turn.rounds.map((round) => toRoundRow(round, known)),
  };
}

function editedIn({ blocks }: TurnView): Json | undefined {
  const resumption = blocks.findLast(({ type }) => type === 'turn.resume');
  const { edited } = isJsonObject(resumption?.data) ? resumption.data : {};
  return edited;
}

function seenBy(event: Block, { rounds }: TurnView): { readonly seenBy?: number } {
  const round = rounds.find(({ asOf }) => asOf >= event.seq);
  return round ? { seenBy: round.openSeq } : {};
}

function toRoundRow(round: RoundView, { misses }: RowContext): RoundRow {
  const [open] = round.blocks;
  const closing = round.blocks.findLast(({ type }) => type === 'round.close');
  const { modelCall } = round;
  const call = isJsonObject(modelCall?.data) ? modelCall.data : {};
  const opened = (open && dataOf('round.open', open)) ?? undefined;
  const model = text(call['model']) ?? opened?.model;
  const at = open?.at ?? '';
  return {
    seq: round.openSeq,
    round: round.number,
    phase: round.phase,
    asOf: round.asOf,
    at,
    ...(closing ? { ms: between(at, closing.at) } : {}),
    ...(closing ? outcomeOf(closing) : {}),
    ...(model === undefined ? {} : { model }),
    ...optional('finish', text(call['finish'])),
    ...(modelCall ? { reply: modelCall.seq } : {}),
    ...optional('firstTokenMs', number(call['first_token_ms'])),
    usage: usageOf(round.blocks),
    ...optional('miss', largest(modelCall && misses.get(modelCall.seq))),
    steps: stepsOf(round),
  };
}

function outcomeOf(closing: Block): { readonly outcome?: string } {
  const { outcome } = isJsonObject(closing.data) ? closing.data : {};
  return typeof outcome === 'string' ? { outcome } : {};
}

/** Every call has tokens of these causes. */
const expected: ReadonlySet<string> = new Set(['new', 'tail']);

function largest(misses: readonly Miss[] | undefined): Miss | undefined {
  const byTokens = misses?.toSorted((a, b) => b.tokens - a.tokens) ?? [];
  return byTokens.find(({ cause }) => !expected.has(cause)) ?? byTokens[0];
}

function stepsOf({ openSeq, modelCall, calls }: RoundView): readonly RoundStep[] {
  const data = isJsonObject(modelCall?.data) ? modelCall.data : {};
  const model: RoundStep = {
    kind: 'model',
    name: text(data['model']) ?? '',
    block: modelCall?.seq ?? openSeq,
    ...optional('ms', number(data['ms'])),
  };
  return [...(modelCall ? [model] : []), ...calls.flatMap(stepsOfCall)];
}

/** A call, after the wait for its approval. */
function stepsOfCall(call: CallView): readonly RoundStep[] {
  const { request, result, approval } = call;
  const asked = approval && !approval.closed ? undefined : approval?.closed?.at;
  const begun = asked ?? request.at;
  const wait: readonly RoundStep[] = approval
    ? [
        {
          kind: 'approval',
          name: call.tool,
          block: approval.request.seq,
          ...(approval.closed ? { ms: between(approval.request.at, approval.closed.at) } : {}),
        },
      ]
    : [];
  const ok = result && dataOf('react.tool.result', result)?.ok;
  const step: RoundStep = {
    kind: kindOf(call),
    name: call.tool,
    block: request.seq,
    ...(result ? { ms: between(begun, result.at) } : {}),
    ...optional('ok', ok),
  };
  return [...wait, step];
}

export function kindOf({ tool, external, delegated }: CallView): RoundStep['kind'] {
  if (delegated) return 'agent';
  if (external) return 'client';
  return tool.startsWith('exec_tools.') ? 'program' : 'tool';
}

export function between(from: string, until: string): number {
  return Math.max(0, Date.parse(until) - Date.parse(from)) || 0;
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
