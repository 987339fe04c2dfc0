import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { type CompactCause, tokensOf } from '../../timeline/compact/compact.ts';
import type { RoundView, TurnView, View } from '../../timeline/view.ts';

/** Earlier turns and rounds give way to a memory of them. `forced`: whatever the count says. */
export type CompactStep = {
  readonly do: 'compact';
  readonly cause: CompactCause;
  readonly forced: boolean;
};

export type CompactSettings = {
  /** Tokens that the timeline may have in a prompt. */
  readonly room: number;
  readonly recentTurns: number;
};

/** Before a model is asked. What could not be made smaller is not tried again until something has come to it. */
export function planCompact(view: View, { room }: CompactSettings): CompactStep | undefined {
  const turn = view.openTurn;
  if (!turn || !hasGrown(turn)) return undefined;
  const tokens = tokensOf(view);
  if (tokens > room) return { do: 'compact', cause: 'limit', forced: false };
  // Two replies in a row that nobody could read: perhaps there is too much to read.
  if (tokens > room / 2 && turn.rounds.length > 1 && turn.rounds.slice(-2).every(isViolation)) {
    return { do: 'compact', cause: 'violations', forced: true };
  }
  return undefined;
}

/**
 * After a round whose prompt the provider found too large: one forced compaction, one more try. Undefined: that was
 * the second such round, or nothing can be made smaller, and the turn ends.
 */
export function planOverflow(turn: TurnView): CompactStep | 'retry' | undefined {
  const [last, before] = turn.rounds.toReversed();
  if (!last || (before && isOverflow(before))) return undefined;
  const ended = lastEnd(turn);
  if (!ended || ended.seq < last.openSeq || statusOf(ended) === 'error') {
    return { do: 'compact', cause: 'overflow', forced: true };
  }
  return statusOf(ended) === 'completed' ? 'retry' : undefined;
}

export function isOverflow(round: RoundView): boolean {
  const { error } = closeOf(round);
  return isJsonObject(error) && error['code'] === 'MODEL_CONTEXT_OVERFLOW';
}

function isViolation(round: RoundView): boolean {
  return closeOf(round)['outcome'] === 'violation';
}

function closeOf({ blocks }: RoundView) {
  const data = blocks.findLast(({ type }) => type === 'round.close')?.data;
  return isJsonObject(data) ? data : {};
}

function hasGrown(turn: TurnView): boolean {
  const ended = lastEnd(turn);
  if (!ended || statusOf(ended) === 'error') return true;
  const newest = Math.max(turn.rounds.at(-1)?.openSeq ?? 0, turn.events.at(-1)?.seq ?? 0);
  return newest > ended.seq;
}

function lastEnd({ blocks }: TurnView): Block | undefined {
  return blocks.findLast(({ type }) => type === 'compact.close');
}

function statusOf({ data }: Block): string {
  return isJsonObject(data) ? String(data['status']) : '';
}
