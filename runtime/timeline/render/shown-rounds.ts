import type { Block } from '../block.ts';
import type { RoundView, TurnView, View } from '../view.ts';

/** The rounds of a turn that are in the prompt, without those that a mid-turn compaction replaced. */
export function shownRounds({ covered }: View, turn: TurnView): readonly RoundView[] {
  return turn.rounds.slice(covered.get(turn.id)?.rounds ?? 0);
}

/** The blocks of a turn without those of covered rounds. */
export function shownBlocks(view: View, turn: TurnView): readonly Block[] {
  const count = view.covered.get(turn.id)?.rounds ?? 0;
  if (count === 0) return turn.blocks;
  const gone = new Set(turn.rounds.slice(0, count).flatMap(({ blocks }) => blocks));
  return turn.blocks.filter((block) => !gone.has(block));
}
