import { checkpointOffsetRounds, checkpointRoundsMin } from './limits.ts';
import type { Segment } from './segments.ts';

/**
 * Indexes of the segments after which a provider may keep a cache: the end of what was there before this turn,
 * a few rounds back, and the last closed part. At most three; none of them in SOURCES or ANNOUNCE, which are no segments.
 */
export function checkpoints(segments: readonly Segment[]): ReadonlySet<number> {
  const tail = segments.length - 1;
  const current = segments[tail]?.turn;
  const beforeTurn = segments.findLastIndex(({ turn }) => turn !== current);
  return new Set([beforeTurn, preTail(segments) ?? tail, tail].filter((index) => index >= 0));
}

/** The mark some rounds back: what is before it may no longer be hidden. Undefined while there are too few rounds. */
export function preTail(segments: readonly Segment[]): number | undefined {
  const ends: number[] = [];
  for (
    let index = segments.length - 1;
    index >= 0 && ends.length <= checkpointOffsetRounds;
    index -= 1
  ) {
    if (segments[index]?.round !== undefined) ends.push(index);
  }
  return ends.length < checkpointRoundsMin ? undefined : ends.at(-1);
}
