import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { type CompactCause, tokensOf } from '../../timeline/compact/compact.ts';
import type { RoundView, TurnView, View } from '../../timeline/view.ts';

/** Replaces earlier turns and rounds by a memory. `forced`: whatever the token count. */
export type CompactStep = {
  readonly do: 'compact';
  readonly cause: CompactCause;
  readonly forced: boolean;
};

export type CompactSettings = {
  /** Tokens that the timeline may take in a prompt. */
  readonly room: number;
  readonly recentTurns: number;
};

/** Runs before a model call. If compaction did not help, it is not retried until the turn has grown. */
export function planCompact(view: View, { room }: CompactSettings): CompactStep | undefined {
  const turn = view.openTurn;
  if (!turn || !hasGrown(turn)) return undefined;
  const tokens = tokensOf(view);
  if (tokens > room) return { do: 'compact', cause: 'limit', forced: false };
  // Two unusable replies in a row: the prompt may be too long.
  if (tokens > room / 2 && turn.rounds.length > 1 && turn.rounds.slice(-2).every(isViolation)) {
    return { do: 'compact', cause: 'violations', forced: true };
  }
  return undefined;
}

/**
 * After a round whose prompt was too large for the provider: one forced compaction and one retry. Undefined: that was
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
