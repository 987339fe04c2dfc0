import type { Block, Draft } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { TurnView } from '../view.ts';

/** The `compact.open` of a compaction that has not ended yet. */
export function openCompaction({ blocks }: TurnView): Block | undefined {
  const last = blocks.findLast(({ type }) => type === 'compact.open' || type === 'compact.close');
  return last?.type === 'compact.open' ? last : undefined;
}

/** Ends a compaction whose owner was lost or whose turn ends. It removed nothing. */
export function endCompaction(turn: TurnView, reason: string): readonly Draft[] {
  const opened = openCompaction(turn);
  if (!opened) return [];
  const { tokens = 0 } = dataOf('compact.open', opened) ?? {};
  const data = {
    status: 'error',
    reason,
    of: opened.seq,
    tokens_before: tokens,
    tokens_after: tokens,
  };
  return [{ type: 'compact.close', turn: turn.id, author: 'system', data }];
}
