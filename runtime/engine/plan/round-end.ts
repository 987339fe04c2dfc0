import { isJsonObject } from '../../base/json.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';

/** Why a round ended that nobody lost: its owner stopped on purpose. */
export const handedOver = 'hand_over';
/** Its reply broke off in the middle, and is asked for again. */
export const brokenOff = 'model_broke_off';

export type TurnError = { readonly code: string; readonly message: string };
type End = { readonly outcome: string; readonly cause: unknown; readonly error?: TurnError };

/** Undefined: it is open. */
export function endOf({ blocks }: RoundView): End | undefined {
  const data = blocks.findLast((block) => block.type === 'round.close')?.data;
  if (!isJsonObject(data)) return undefined;
  const { error, cause } = data;
  const failed = isJsonObject(error) && {
    code: String(error['code']),
    message: String(error['message']),
  };
  return { outcome: String(data['outcome']), cause, ...(failed ? { error: failed } : {}) };
}

export function isBrokenOff(round: RoundView): boolean {
  return endOf(round)?.cause === brokenOff;
}

/** How many rounds up to the last have broken off, one after the other. */
export function breaksInRow({ rounds }: TurnView): number {
  return rounds.length - 1 - rounds.findLastIndex((round) => !isBrokenOff(round));
}
