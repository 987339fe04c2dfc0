import type { ReplyContext } from '../agent/reply-context.ts';
import { violationsInRow } from '../plan/round-end.ts';

/**
 * Whether plain text may be the answer of the open round: by default at the second attempt in a row, since the first
 * may only announce what follows. Never if an `output` is required. In the last round `fallbackAnswer` accepts it.
 */
export function proseMayAnswer({ agent, turn }: Pick<ReplyContext, 'agent' | 'turn'>): boolean {
  const { prose, malformed } = agent.policies;
  if (agent.output || prose === 'never' || malformed === 'fail') return false;
  return prose === 'first' || violationsInRow(turn) > 0;
}
