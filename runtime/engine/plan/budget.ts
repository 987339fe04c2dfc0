import { waitedMs } from '../../timeline/close/waits.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import { tokensOf, usageOf } from '../model/usage.ts';

type Spending = {
  /** Input and output of every model call of the turn. Undefined: unlimited. */
  readonly tokensMax?: number | undefined;
  readonly costUsdMax?: number | undefined;
};

/** Tokens or money of the turn are used up. */
export function isSpent(turn: TurnView, spending: Spending): boolean {
  const { tokens, costUsd } = leftOf(turn, spending);
  return tokens <= 0 || costUsd <= 0;
}

/** What the turn may still use, below 0 where it used more; Infinity where nothing limits it. */
export function leftOf(turn: TurnView, { tokensMax, costUsdMax }: Spending): Reservation {
  const usage = usageOf(turn.blocks);
  return {
    tokens: (tokensMax ?? Number.POSITIVE_INFINITY) - tokensOf(usage),
    costUsd: (costUsdMax ?? Number.POSITIVE_INFINITY) - Number(usage['cost_usd']),
  };
}

/** Of its time, below 0 once it is over. Waiting for people costs nobody time. */
export function leftMs(turn: TurnView, { wallMs, now }: { wallMs: number; now: number }): number {
  return wallMs - (now - Date.parse(turn.openedAt) - waitedMs(turn, now));
}
