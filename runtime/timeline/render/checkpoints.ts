import { cacheLookBackParts, checkpointOffsetRounds, checkpointRoundsMin } from '../limits.ts';
import type { Segment } from './segments.ts';

/**
 * Indexes of the segments after which a provider may keep a cache entry: the end of the text before this turn, a few
 * rounds back, and the last closed part. At most three; never in SOURCES or ANNOUNCE, which are not segments.
 *
 * A provider looks back only a limited number of parts from each mark. If more parts were added at once, the first mark is
 * placed where the previous request had its last one, so that the entry of that request is always found.
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

/** The tail of the previous request: since then only the last closed round and what followed it were added. */
function sentBefore(segments: readonly Segment[]): number {
  return segments.findLastIndex(({ opensRound }) => opensRound) - 1;
}

/**
 * The mark some rounds back: text before it may no longer be hidden. It is where an earlier request had its last mark, so
 * a cache entry exists there. Undefined while there are too few rounds.
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
