import type { Block } from '../block.ts';
import { understands } from '../catalogue/catalogue.ts';
import { noTurn, toSeq } from '../ids.ts';
import type { View } from '../view.ts';
import { keepForNextTurn, takeWaiting } from './between.ts';
import { foldCompaction } from './fold-compaction.ts';
import { dropDeliveredFeedback, foldFeedback } from './fold-feedback.ts';
import { foldPool } from './fold-pool.ts';
import { foldTurn } from './fold-turn.ts';
import { type MutableView, mutableTurn, toMutableView } from './mutable-view.ts';
import { applyRecall } from './recall.ts';

/**
 * The view of an empty log. Folding is total: every block applies to every view; a block of an unknown type or shape is
 * kept and ignored. A fold copies only what a block changes (its turn, its round, a pool), so older views do not change.
 */
export const emptyView: View = {
  head: toSeq(0),
  turns: [],
  openTurn: undefined,
  plans: [],
  sources: [],
  hidden: new Map(),
  pruned: new Map(),
  pulled: new Set(),
  visible: new Map(),
  visibleInRound: new Map(),
  toolDecisions: new Map(),
  feedback: [],
  between: [],
  earlierTurns: [],
  memory: undefined,
  covered: new Map(),
};

export function fold(view: View, block: Block): View {
  return foldAll(view, [block]);
}

/** `foldAll(foldAll(view, a), b)` equals `foldAll(view, [...a, ...b])`; folding many blocks at once is only cheaper. */
export function foldAll(view: View, blocks: readonly Block[]): View {
  if (blocks.length === 0) return view;
  const work = toMutableView(view);
  for (const block of blocks) {
    apply(work, block);
    if (block.type === 'view.compact' && understands(block)) foldCompaction(work, block);
  }
  return close(work);
}

/** Like `foldAll`, but keeps the turns that compactions remove from the view. */
export function foldArchive(view: View, blocks: readonly Block[]): View {
  const work = toMutableView(view);
  for (const block of blocks) apply(work, block);
  return close(work);
}

function apply(work: MutableView, block: Block): void {
  work.head = toSeq(Math.max(work.head, block.seq));
  if (block.type === 'external.recall') {
    applyRecall(work, block);
    return;
  }
  if (block.type === 'feedback') {
    foldFeedback(work, block);
    return;
  }
  if (block.turn === noTurn) {
    keepForNextTurn(work, block);
    return;
  }
  const owned = mutableTurn(work, block);
  if (work.between.length > 0) takeWaiting(work, owned);
  owned.turn.blocks.push(block);
  if (!understands(block)) return;
  foldTurn(owned, block);
  foldPool(work, block);
  if (block.type === 'turn.close') dropDeliveredFeedback(work, owned.turn);
}

function close(work: MutableView): View {
  const { owned: _, ...pools } = work;
  const last = work.turns.at(-1);
  const openTurn = last?.closed === undefined ? last : undefined;
  return { ...pools, openTurn };
}
