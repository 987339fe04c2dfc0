import { waitedMs } from '../../timeline/close/waits.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import { tokensOf, usageOf } from '../model/usage.ts';

type Spending = {
  /** Input and output of every model call of the turn. Undefined: unlimited. */
  readonly tokensMax?: number | undefined;
  readonly costUsdMax?: number | undefined;
};

/** The tokens or the money of the turn are used up. */
export function isSpent(turn: TurnView, spending: Spending): boolean {
  const { tokens, costUsd } = leftOf(turn, spending);
  return tokens <= 0 || costUsd <= 0;
}

/** The remaining budget of the turn: negative if exceeded, Infinity if unlimited. */
export function leftOf(turn: TurnView, { tokensMax, costUsdMax }: Spending): Reservation {
  const usage = usageOf(turn.blocks);
  return {
    tokens: (tokensMax ?? Number.POSITIVE_INFINITY) - tokensOf(usage),
    costUsd: (costUsdMax ?? Number.POSITIVE_INFINITY) - Number(usage['cost_usd']),
  };
}

/** The remaining time, negative once it is over. Waiting for people does not count. */
export function leftMs(turn: TurnView, { wallMs, now }: { wallMs: number; now: number }): number {
  return wallMs - (now - Date.parse(turn.resumed?.at ?? turn.openedAt) - waitedMs(turn, now));
}
