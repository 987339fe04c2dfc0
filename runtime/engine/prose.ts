import { isJsonObject } from '../base/json.ts';
import type { RoundView } from '../timeline/view.ts';
import type { Author } from './author.ts';

/**
 * Whether plain text may be the answer of the round that is open now: at the second try in a row, by default, since the
 * first may only announce what comes next. Where an `output` is due it never is. In the last round `giveUp` takes it.
 */
export function proseMayAnswer({ agent, turn }: Pick<Author, 'agent' | 'turn'>): boolean {
  const { prose, malformed } = agent.policies;
  if (agent.output || prose === 'never' || malformed === 'fail') return false;
  const last = turn.rounds.findLast(({ closed }) => closed);
  const isSecondTry = last !== undefined && outcomeOf(last) === 'violation';
  return prose === 'first' || isSecondTry;
}

export function outcomeOf({ blocks }: RoundView): string {
  const data = blocks.findLast(({ type }) => type === 'round.close')?.data;
  return isJsonObject(data) ? String(data['outcome']) : '';
}
