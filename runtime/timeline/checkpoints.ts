import { checkpointOffsetRounds, checkpointRoundsMin } from './limits.ts';
import type { Segment } from './segments.ts';

/**
 * Indexes of the segments after which a provider may keep a cache: the end of what was there before this turn,
 * a few rounds back, and the last closed part. At most three; none of them in SOURCES or ANNOUNCE, which are no segments.
 */
export function checkpoints(segments: readonly Segment[]): ReadonlySet<number> {
  const tail = segments.length - 1;
  const current = segments[tail]?.turn;
  const beforeTurn = segments.findIndex(({ turn }) => turn === current) - 1;
  return new Set([beforeTurn, preTail(segments) ?? tail, tail].filter((index) => index >= 0));
}

/** The mark some rounds back: what is before it may no longer be hidden. Undefined while there are too few rounds. */
export function preTail(segments: readonly Segment[]): number | undefined {
  const ends = segments.flatMap(({ round }, index) => (round === undefined ? [] : [index]));
  if (ends.length < checkpointRoundsMin) return undefined;
  return ends[Math.max(0, ends.length - 1 - checkpointOffsetRounds)];
}
