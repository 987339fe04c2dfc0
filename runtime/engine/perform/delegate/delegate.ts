import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { CallId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { DelegatedCall, ToolError } from '../../../tools/ports/tool.ts';
import { exhausted } from '../../../tools/ports/turn-budget.ts';
import { delegatedOf } from '../../agent/turn-data.ts';
import type { ToolAction } from '../../plan/actions.ts';
import { isSpent, leftMs, leftOf } from '../../plan/budget.ts';
import { roundBudget } from '../../plan/round-budget.ts';
import type { WorkerSession } from '../../session/session.ts';
import { childName } from './child-conversation.ts';

/** The remaining budget of the open turn, for the agent that works on one of its calls. */
export function delegatedBudget(
  session: WorkerSession,
  call: CallId,
  rounds: number | undefined,
): JsonObject {
  const { turn, budgets, engine, conversation } = session;
  const { wallMs, tokens: tokensMax, costUsd: costUsdMax } = budgets;
  const left = leftOf(turn, { tokensMax, costUsdMax });
  const { total, used } = roundBudget(turn, budgets.rounds);
  // The calling round is used up. With no round left, the other agent only finishes.
  const roundsLeft = Math.max(0, total - used);
  return {
    conversation: conversation.lease.row.id,
    call,
    rounds: Math.min(rounds ?? roundsLeft, roundsLeft),
    ...(tokensMax === undefined ? {} : { tokens: left.tokens }),
    ...(costUsdMax === undefined ? {} : { cost_usd: left.costUsd }),
    wall_ms: Math.max(0, leftMs(turn, { wallMs, now: engine.clock.now() })),
  };
}

/** Why the call is not delegated. Undefined: it may be. */
export function delegationRefusal(
  { turn, budgets }: WorkerSession,
  { agent }: DelegatedCall,
): ToolError | undefined {
  if (delegatedOf(turn)) {
    const message = `You are working on a call that was delegated to you, and nothing of it is delegated further, so “${agent}” was not asked. Do it with your own tools, or say what is missing.`;
    return { code: 'delegation_too_deep', message, retryable: false };
  }
  if (!isSpent(turn, { tokensMax: budgets.tokens, costUsdMax: budgets.costUsd })) return undefined;
  const { code, message } = exhausted('no other agent is asked any more.');
  return { code, message, retryable: false };
}

/** Records that another agent has the call. It is on the log before the agent's conversation exists. */
export function toAgentCall(
  session: WorkerSession,
  { call, tool }: ToolAction,
  { agent, input, rounds, timeoutMs }: DelegatedCall,
): Draft {
  const { id: turn } = session.turn;
  return {
    type: 'agent.call',
    turn,
    author: 'system',
    call,
    path: paths.agentCall(turn, call),
    data: {
      ...{ call, tool, agent, input },
      conversation: childName(session.conversation.lease.row, call),
      ...(rounds === undefined ? {} : { rounds }),
      deadline: session.deadlineIn(timeoutMs),
    },
  };
}
