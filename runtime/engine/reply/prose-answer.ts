import { isJsonObject } from '../../base/json.ts';
import type { RoundView } from '../../timeline/view.ts';
import type { ReplyContext } from '../agent/reply-context.ts';

/**
 * Whether plain text may be the answer of the open round: by default at the second attempt in a row, since the first
 * may only announce what follows. Never if an `output` is required. In the last round `fallbackAnswer` accepts it.
 */
export function proseMayAnswer({ agent, turn }: Pick<ReplyContext, 'agent' | 'turn'>): boolean {
  const { prose, malformed } = agent.policies;
  if (agent.output || prose === 'never' || malformed === 'fail') return false;
  return prose === 'first' || violationsInRow(turn) > 0;
}

/** Replies without a usable decision since the last one that had one. */
export function violationsInRow({ rounds }: ReplyContext['turn']): number {
  const outcomes = rounds.filter(({ closed }) => closed).map(outcomeOf);
  return outcomes.length - 1 - outcomes.findLastIndex((each) => each !== 'violation');
}

function outcomeOf({ blocks }: RoundView): string {
  const data = blocks.findLast(({ type }) => type === 'round.close')?.data;
  return isJsonObject(data) ? String(data['outcome']) : '';
}
