import { renderTurn } from './render-turn.ts';
import type { Segment } from './segments.ts';
import type { TurnView, View } from './view.ts';

/** The closed turns at the beginning of a conversation as segments, with the sum of their tokens. */
type History = {
  readonly turns: readonly TurnView[];
  readonly hidden: View['hidden'];
  readonly segments: readonly Segment[];
  readonly tokens: number;
};

/** By the first turn of a conversation: what was rendered last, so that a round costs the same at any age. */
const histories = new WeakMap<TurnView, History>();

/** The timeline up to `asOf`, and the sum of its tokens. */
export function renderTimeline(
  view: View,
  asOf: number,
): { readonly segments: readonly Segment[]; readonly tokens: number } {
  const history = closedTurns(view, asOf);
  const open = drawTurns(view, { from: history.turns.length, until: view.turns.length, asOf });
  return { segments: [...history.segments, ...open], tokens: history.tokens + tokensOf(open) };
}

function closedTurns(view: View, asOf: number): History {
  const { turns, hidden } = view;
  const open = turns.findIndex(({ closed }) => closed === undefined || closed.seq > asOf);
  const until = open < 0 ? turns.length : open;
  const known = turns[0] && histories.get(turns[0]);
  const before = known && isBeginning(known, view, until) ? known : nothing(hidden);
  const from = before.turns.length;
  if (from === until || !turns[0]) return before;
  const more = drawTurns(view, { from, until, asOf });
  const made = {
    turns: turns.slice(0, until),
    hidden,
    segments: [...before.segments, ...more],
    tokens: before.tokens + tokensOf(more),
  };
  histories.set(turns[0], made);
  return made;
}

function isBeginning(known: History, { turns, hidden }: View, until: number): boolean {
  return (
    known.hidden === hidden &&
    known.turns.length <= until &&
    known.turns.every((turn, index) => turn === turns[index])
  );
}

function nothing(hidden: View['hidden']): History {
  return { turns: [], hidden, segments: [], tokens: 0 };
}

type Range = { readonly from: number; readonly until: number; readonly asOf: number };

function drawTurns({ turns, hidden }: View, { from, until, asOf }: Range): readonly Segment[] {
  return turns
    .slice(from, until)
    .filter(({ openSeq }) => openSeq <= asOf)
    .flatMap((turn) => renderTurn(turn, { hidden, asOf }));
}

function tokensOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}
