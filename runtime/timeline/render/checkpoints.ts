import { cacheLookBackParts, checkpointOffsetRounds, checkpointRoundsMin } from '../limits.ts';
import type { Segment } from './segments.ts';

/**
 * Indexes of the segments after which a provider may keep a cache: the end of what was there before this turn,
 * a few rounds back, and the last closed part. At most three; none of them in SOURCES or ANNOUNCE, which are no segments.
 *
 * A provider looks back from each mark only so far. Where more parts came at once than it sees, the first mark stands
 * where the request before had its last one, so that what that one wrote is always found.
 */
export function checkpoints(segments: readonly Segment[]): ReadonlySet<number> {
  const tail = segments.length - 1;
  const current = segments[tail]?.turn;
  const beforeTurn = segments.findLastIndex(({ turn }) => turn !== current);
  const nearTail = preTail(segments) ?? tail;
  const sent = sentBefore(segments);
  const found = [beforeTurn, nearTail, tail].some(
    (mark) => mark >= sent && mark - sent < cacheLookBackParts,
  );
  const marks = [found ? beforeTurn : sent, nearTail, tail];
  return new Set(marks.filter((index) => index >= 0));
}

/** The tail of the request before: all that has been added since is the last closed round and what came after it. */
function sentBefore(segments: readonly Segment[]): number {
  return segments.findLastIndex(({ opensRound }) => opensRound) - 1;
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
