import type { Block, Draft } from '../../../timeline/block.ts';
import type { CallId } from '../../../timeline/ids.ts';
import { tokensOf, usageOf } from '../../model/usage.ts';
import type { WorkerSession } from '../../session/session.ts';

type AgentWork = {
  readonly call: CallId;
  readonly agent: string;
  /** The turn of the other agent so far. */
  readonly blocks: readonly Block[];
};

/** Charges the caller's turn with what the other agent has used so far. */
export function charge(
  { turn }: WorkerSession,
  { call, agent, blocks }: AgentWork,
): readonly Draft[] {
  const usage = usageOf(blocks);
  if (tokensOf(usage) === 0) return [];
  const data = {
    model: `agent:${agent}`,
    role: 'delegated',
    usage,
    cost_usd: usage['cost_usd'] ?? 0,
  };
  return [{ type: 'model.call', turn: turn.id, author: 'system', call, data }];
}
