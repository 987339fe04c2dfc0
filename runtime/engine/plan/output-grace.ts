import { promptsConversation } from '../../timeline/prompt-rounds.ts';
import type { TurnView } from '../../timeline/view.ts';
import { outputGraceRounds } from '../limits.ts';
import { endOf, type TurnError } from './round-end.ts';

/** The turn fails with this error once its model has not given the structured output, even when it had to. */
export const outputInvalid: TurnError = {
  code: 'output_invalid',
  message:
    'The result did not have the required form, also after several attempts. Please try again.',
};

/** Replies in a row, up to the last one, that could not end a turn whose agent must give a structured output. */
function unfitReplies({ rounds }: TurnView): number {
  const ended = rounds.filter((round) => round.closed && promptsConversation(round));
  const fit = ended.findLastIndex((round) => endOf(round)?.outcome !== 'violation');
  return ended.length - 1 - fit;
}

/** A model that gave an unfit output may correct it, even if no round is left. */
export function hasGrace(turn: TurnView): boolean {
  const unfit = unfitReplies(turn);
  return unfit > 0 && unfit <= outputGraceRounds;
}

/** All grace rounds are over: the next reply, or the open one, must give the output. */
export function mustComplete(turn: TurnView): boolean {
  return unfitReplies(turn) >= outputGraceRounds;
}
