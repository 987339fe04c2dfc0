import type { z } from 'zod';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { stateSchema } from '../catalogue/compact-schemas.ts';
import { type TurnId, toTurnId } from '../ids.ts';
import { toBlockPath } from '../paths.ts';
import type { Memory } from '../view.ts';
import type { MutableView } from './mutable-view.ts';

/**
 * Removes the turns before the window and sets every accumulator to the state in the block. A reader that started at the
 * window knows less than one that started at the first block; after this block both have the same state.
 */
export function foldCompaction(work: MutableView, block: Block): void {
  const data = dataOf('view.compact', block);
  if (!data) return;
  const { state, window } = data;
  const kept = work.turns.filter(({ openSeq }) => openSeq >= window);
  work.turns.splice(0, work.turns.length, ...kept);
  // A removed turn does not exist for later blocks, as for a reader that starts after this block.
  for (const id of work.owned.keys()) {
    if (!kept.some((turn) => turn.id === id)) work.owned.delete(id);
  }
  work.plans = state.plans;
  work.sources = state.sources;
  work.hidden = new Map(state.hidden.map(({ path, text }) => [toBlockPath(path), text]));
  work.pruned = new Map(state.pruned.map(({ turn, text }) => [turn, text] as const));
  work.pulled = new Set(state.pulled.map(toBlockPath));
  work.visible = visibleIn(state);
  work.visibleInRound = work.visible;
  work.toolDecisions = new Map(state.standing.map(({ tool, allowed }) => [tool, allowed]));
  work.feedback = state.feedback;
  work.earlierTurns = earlierTurns(state);
  work.memory = toMemory(state, block);
  work.covered = new Map(state.covered.map(({ turn, ...covered }) => [turn, covered] as const));
}

function toMemory(
  { memory }: z.infer<typeof stateSchema>,
  { path, seq }: Block,
): Memory | undefined {
  return memory && { path: path ?? '', seq, ...memory };
}

/** Without what the prompt says about tools: a compaction is the moment to make the system text again. */
function visibleIn({ visible }: z.infer<typeof stateSchema>): MutableView['visible'] {
  return new Map(visible.map(({ agent, ...tools }) => [agent, { ...tools, described: [] }]));
}

/** Older compactions contain only the number of turns, not their ids. */
function earlierTurns({ turns, memory }: z.infer<typeof stateSchema>): readonly TurnId[] {
  return turns ?? Array.from({ length: memory?.kept.count ?? 0 }, () => toTurnId(''));
}
