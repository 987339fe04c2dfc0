import type { Seq } from '../ids.ts';
import type { Memory, TurnView, View } from '../view.ts';
import { FormCache, type PromptForm } from './form.ts';
import type { RenderPart } from './parts.ts';
import { type Segment, toSegments } from './segments.ts';
import { intactHeading, prunedHeading } from './text.ts';
import { renderTurn } from './turn.ts';

/** The rendered closed turns at the beginning of a conversation. */
type History = {
  readonly turns: readonly TurnView[];
  readonly hidden: View['hidden'];
  readonly pruned: View['pruned'];
} & Timeline;

/** Segments, their parts, and the sum of their tokens. */
type Timeline = {
  readonly segments: readonly Segment[];
  readonly parts: readonly RenderPart[];
  readonly tokens: number;
};

/** The last rendered history by the first turn of a conversation, so that a round costs the same in a long conversation. */
const histories = new FormCache<TurnView, History>();

export type TimelineInputs = {
  /** Seq of the last block that may be shown. */
  readonly asOf: Seq;
  readonly form: PromptForm;
};

/** The timeline up to `asOf`. */
export function renderTimeline(view: View, inputs: TimelineInputs): Timeline {
  const history = closedTurns(view, inputs);
  const range = { from: history.turns.length, until: view.turns.length };
  const open = drawTurns(view, { ...range, ...inputs });
  const memory = memorySegments(view.memory);
  return {
    segments: memory.concat(history.segments, open),
    parts: memory.map(toPart).concat(history.parts, open.map(toPart)),
    tokens: tokensOf(memory) + history.tokens + tokensOf(open),
  };
}

function toPart({ part }: Segment): RenderPart {
  return part;
}

const remembered = new WeakMap<Memory, readonly Segment[]>();

/** The memory of compacted turns, before all other text. */
function memorySegments(memory: Memory | undefined): readonly Segment[] {
  if (!memory) return [];
  const known = remembered.get(memory);
  if (known) return known;
  const made = toSegments([{ seq: memory.seq, text: memory.text, as: 'summary' }], memory.path);
  remembered.set(memory, made);
  return made;
}

function closedTurns(view: View, { asOf, form }: TimelineInputs): History {
  const { turns, hidden, pruned } = view;
  const open = turns.findIndex(({ closed }) => closed === undefined || closed.seq > asOf);
  const until = open < 0 ? turns.length : open;
  const known = turns[0] && histories.get(turns[0], form);
  const before = known && isBeginning(known, view, until) ? known : nothing(view);
  const from = before.turns.length;
  if (from === until || !turns[0]) return before;
  const more = drawTurns(view, { from, until, asOf, form });
  const made = {
    turns: turns.slice(0, until),
    hidden,
    pruned,
    segments: before.segments.concat(more),
    parts: before.parts.concat(more.map(toPart)),
    tokens: before.tokens + tokensOf(more),
  };
  histories.set(turns[0], form, made);
  return made;
}

function isBeginning(known: History, { turns, hidden, pruned }: View, until: number): boolean {
  return (
    known.hidden === hidden &&
    known.pruned === pruned &&
    known.turns.length <= until &&
    known.turns.every((turn, index) => turn === turns[index])
  );
}

function nothing({ hidden, pruned }: View): History {
  return { turns: [], hidden, pruned, segments: [], parts: [], tokens: 0 };
}

type Range = TimelineInputs & { readonly from: number; readonly until: number };

function drawTurns(view: View, { from, until, asOf, form }: Range): readonly Segment[] {
  const headings = headingsOf(view);
  return view.turns
    .slice(from, until)
    .filter(({ openSeq }) => openSeq <= asOf)
    .flatMap((turn) => [
      ...(headings.get(turn.id) ?? []),
      ...renderTurn(turn, { ...view, asOf, form }),
    ]);
}

/** Headings before the pruned and the intact turns. There are none before the first prune, whose block declares the break. */
function headingsOf({ turns, pruned }: View): ReadonlyMap<string, readonly Segment[]> {
  if (pruned.size === 0) return new Map();
  const first = turns.findIndex(({ id }) => pruned.has(id));
  const after = turns.findLastIndex(({ id }) => pruned.has(id)) + 1;
  const heading = (index: number, text: string) => {
    const turn = turns[index];
    return turn
      ? [[turn.id, toSegments([{ seq: turn.openSeq, text, as: 'heading' }], turn.id)] as const]
      : [];
  };
  return new Map([...heading(first, prunedHeading), ...heading(after, intactHeading)]);
}

function tokensOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}
