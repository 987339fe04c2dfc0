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

/**
 * The mark some rounds back: what is before it may no longer be hidden. It stands where a request had its last mark, so
 * that its entry is there. Undefined while there are too few rounds.
 */
export function preTail(segments: readonly Segment[]): number | undefined {
  const opened: number[] = [];
  for (
    let index = segments.length - 1;
    index >= 0 && opened.length <= checkpointOffsetRounds;
    index -= 1
  ) {
    if (segments[index]?.opensRound) opened.push(index);
  }
  const second = opened.at(-2);
  return second === undefined || opened.length < checkpointRoundsMin ? undefined : second - 1;
}
