import type { TurnView } from '../timeline/view.ts';
import { waitedMs } from '../timeline/waits.ts';
import { tokensOf, usageOf } from './usage.ts';

type Spending = {
  /** Input and output of every model call of the turn. Undefined: unlimited. */
  readonly tokensMax?: number | undefined;
  readonly costUsdMax?: number | undefined;
};

/** Tokens or money of the turn are used up. */
export function isSpent(turn: TurnView, spending: Spending): boolean {
  const { tokensMax = Number.POSITIVE_INFINITY, costUsdMax = Number.POSITIVE_INFINITY } = spending;
  const usage = usageOf(turn.blocks);
  return tokensOf(usage) >= tokensMax || Number(usage['cost_usd']) >= costUsdMax;
}

/** Of its time, below 0 once it is over. Waiting for people costs nobody time. */
export function leftMs(turn: TurnView, { wallMs, now }: { wallMs: number; now: number }): number {
  return wallMs - (now - Date.parse(turn.openedAt) - waitedMs(turn, now));
}
