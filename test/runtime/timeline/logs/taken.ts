import type { Block } from '../../../../runtime/timeline/block.ts';
import { isBetween, pathIn } from '../../../../runtime/timeline/fold/between.ts';

/** The blocks as readers see them: an event that arrived between two turns belongs to the next one. */
export function taken(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => takenFrom(blocks, block));
}

export function takenFrom(blocks: readonly Block[], block: Block): Block {
  if (!isBetween(block) || block.path === undefined) return block;
  const next = blocks.find(({ type, seq }) => type === 'turn.open' && seq > block.seq);
  return next ? { ...block, turn: next.turn, path: pathIn(block.path, next.turn) } : block;
}
