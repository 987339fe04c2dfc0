import type { RoundView, TurnView } from './view.ts';

/** The phase whose prompt is a record of the turn and not the conversation: it neither reads nor extends its prefix. */
export const answerPhase = 'answer';
/** The phase of a call that its caller chose: the round has neither a request to a model nor a prompt. */
export const directPhase = 'direct';
/** The phase in which an agent program outside this runtime works: its prompt is a message to that program. */
export const externalPhase = 'external';

export function promptsConversation({ phase }: Pick<RoundView, 'phase'>): boolean {
  return phase !== answerPhase && phase !== directPhase && phase !== externalPhase;
}

/** The last round whose prompt was the conversation. */
export function lastPrompted(turns: readonly TurnView[]): RoundView | undefined {
  for (const { rounds } of turns.toReversed()) {
    const round = rounds.findLast(promptsConversation);
    if (round) return round;
  }
  return undefined;
}
