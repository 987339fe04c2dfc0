import type { Block } from '../../../../runtime/timeline/block.ts';
import { isBetween, pathIn } from '../../../../runtime/timeline/fold/between.ts';

/** The blocks as readers see them: an event that arrived between two turns belongs to the next one. */
export function taken(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => {
    const next = blocks.find(({ type, seq }) => type === 'turn.open' && seq > block.seq);
    if (!isBetween(block) || !next || block.path === undefined) return block;
    return { ...block, turn: next.turn, path: pathIn(block.path, next.turn) };
  });
}
