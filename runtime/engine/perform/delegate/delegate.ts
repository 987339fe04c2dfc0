import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import type { DelegatedCall, ToolError } from '../../../tools/ports/tool.ts';
import { exhausted } from '../../../tools/ports/turn-budget.ts';
import { depthLeft } from '../../agent/turn-data.ts';
import type { ToolAction } from '../../plan/actions.ts';
import { isSpent, leftMs, leftOf } from '../../plan/budget.ts';
import { roundBudget } from '../../plan/round-budget.ts';
import type { WorkerSession } from '../../session/session.ts';
import { type ChildWork, childName } from './child-conversation.ts';

/** What is left of the budget of the open turn for agents that work for it. */
export type Lent = {
  readonly rounds: number;
  readonly wall_ms: number;
  readonly tokens?: number;
  readonly cost_usd?: number;
};

export function budgetLeft({ turn, budgets, engine }: WorkerSession): Lent {
  const { wallMs, tokens: tokensMax, costUsd: costUsdMax } = budgets;
  const left = leftOf(turn, { tokensMax, costUsdMax });
  const { total, used } = roundBudget(turn, budgets.rounds);
  return {
    // The calling round is used up. With no round left, the other agent only finishes.
    rounds: Math.max(0, total - used),
    ...(tokensMax === undefined ? {} : { tokens: left.tokens }),
    ...(costUsdMax === undefined ? {} : { cost_usd: left.costUsd }),
    wall_ms: Math.max(0, leftMs(turn, { wallMs, now: engine.clock.now() })),
  };
}

/** For the `turn.open` of a turn that works for the open one. */
export function toDelegated(
  { turn, agent, conversation }: WorkerSession,
  { call, step }: ChildWork,
  lent: Lent,
): JsonObject {
  return {
    conversation: conversation.lease.row.id,
    call,
    ...(step === undefined ? {} : { step }),
    ...lent,
    depth_left: depthLeft(turn, agent) - 1,
  };
}

/** Why no other agent may work for the open turn. Undefined: one may. */
export function delegationRefusal(session: WorkerSession): ToolError | undefined {
  const { turn, budgets, agent } = session;
  if (depthLeft(turn, agent) <= 0) {
    const message =
      'You are working on a call that was delegated to you, and nothing of it is delegated further, so no other agent was asked. Do it with your own tools, or say what is missing.';
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
      conversation: childName(session.conversation.lease.row, { call }),
      ...(rounds === undefined ? {} : { rounds }),
      deadline: session.deadlineIn(timeoutMs),
    },
  };
}
