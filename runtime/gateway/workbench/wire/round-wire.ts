import type { RoundRow, TurnRow } from '../../../engine/inspect/round-list.ts';
import type { Block } from '../../../timeline/block.ts';

/** The type of each block, as an index into the list of types. */
export function ticksOf(blocks: readonly Block[]): object {
  const types = [...new Set(blocks.map(({ type }) => type))];
  const places = new Map(types.map((type, index) => [type, index]));
  return { types, ticks: blocks.map(({ type }) => places.get(type) ?? 0) };
}

export function toWireTurn({ events, rounds, promptBlock, rerunOf, ...turn }: TurnRow): object {
  return {
    ...turn,
    ...(promptBlock !== undefined && { prompt_block: promptBlock }),
    ...(rerunOf !== undefined && { rerun_of: rerunOf }),
    events: events.map(({ seenBy, ...event }) => ({
      ...event,
      ...(seenBy !== undefined && { seen_by: seenBy }),
    })),
    rounds: rounds.map(toWireRound),
  };
}

function toWireRound({ asOf, firstTokenMs, ...round }: RoundRow): object {
  return {
    ...round,
    as_of: asOf,
    ...(firstTokenMs !== undefined && { first_token_ms: firstTokenMs }),
  };
}
