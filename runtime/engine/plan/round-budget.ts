import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { promptsConversation } from '../../timeline/prompt-rounds.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';

export type RoundBudget = {
  readonly used: number;
  readonly total: number;
  readonly bonus: number;
};

/** Followups and events whose kind has a credit earn a round each, up to as many as there were initially. */
export function roundBudget(turn: TurnView, roundsMax: number): RoundBudget {
  const earned = turn.events.filter(hasCredit).length;
  const bonus = Math.min(earned, roundsMax);
  return { used: decisionRounds(turn).length, total: roundsMax + bonus, bonus };
}

/** Writing the answer is free of the round budget. */
export function decisionRounds({ rounds }: TurnView): readonly RoundView[] {
  return rounds.filter(promptsConversation);
}

/** Events of declared kinds carry their credit; in older logs they do not, and each counted. */
function hasCredit({ type, data }: Block): boolean {
  if (!type.startsWith('external.') || type === 'external.steer') return false;
  return !isJsonObject(data) || data['credit'] !== 0;
}
