import { isJsonObject } from '../../base/json.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';

/** Cause of a round that its owner ended on purpose, not by a crash. */
export const handedOver = 'hand_over';
/** The reply broke off in the middle and is retried. */
export const brokenOff = 'model_broke_off';

/** The code of a turn that ends because the model did not keep to its protocol. */
export const malformedCode = 'MODEL_MALFORMED';

export type TurnError = { readonly code: string; readonly message: string };
type End = { readonly outcome: string; readonly cause: unknown; readonly error?: TurnError };

/** Undefined: the round is open. */
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

/** Number of rounds at the end that broke off in a row. */
export function breaksInRow({ rounds }: TurnView): number {
  return rounds.length - 1 - rounds.findLastIndex((round) => !isBrokenOff(round));
}

/** Replies without a usable decision since the last one that had one. */
export function violationsInRow({ rounds }: Pick<TurnView, 'rounds'>): number {
  const outcomes = rounds.filter(({ closed }) => closed).map((round) => endOf(round)?.outcome);
  return outcomes.length - 1 - outcomes.findLastIndex((each) => each !== 'violation');
}

/** Like `violationsInRow`, but a reply that could be read and only had an unfit output kept to its protocol. */
export function brokenInRow({ rounds }: Pick<TurnView, 'rounds'>): number {
  const ended = rounds.filter(({ closed }) => closed);
  const isBroken = (round: RoundView) =>
    endOf(round)?.outcome === 'violation' && !round.blocks.some(isUnfitOutput);
  return ended.length - 1 - ended.findLastIndex((round) => !isBroken(round));
}

function isUnfitOutput({ type, data }: RoundView['blocks'][number]): boolean {
  const code = type === 'react.notice' && isJsonObject(data) ? data['code'] : undefined;
  return code === 'protocol_violation.output_invalid';
}
