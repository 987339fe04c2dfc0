import { invariant } from '../../../base/assert.ts';
import type { Block, Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { delegationPollMs, delegationPollMsMax } from '../../limits.ts';
import { tokensOf, usageOf } from '../../model/usage.ts';
import type { PollStep } from '../../plan/plan-call.ts';
import type { WorkerSession } from '../../session/session.ts';
import { childAnswer } from '../delegate/child-answer.ts';
import {
  type ChildConversation,
  childBlocks,
  findChild,
  isChildRunning,
  openChild,
  stopChild,
} from '../delegate/child-conversation.ts';
import { delegatedBudget } from '../delegate/delegate.ts';
import { missingTool } from './call-refusal.ts';
import { parkTurn } from './park-turn.ts';
import { admissionOf } from './run-calls.ts';
import { refusedResult, runTool } from './run-tool.ts';

/**
 * A call that another agent works on. Nothing about that agent's conversation is assumed: every session looks it up,
 * creates it if it is missing, and takes its answer once it has ended. So a crash neither creates a second child nor
 * loses an answer, and only the owner appends the one result (I4).
 */
export async function pollDelegate(
  session: WorkerSession,
  step: PollStep,
): Promise<'working' | 'ended'> {
  const { action, wait, steered } = step;
  const found = await findChild(session, action.call);
  const child = found ?? (steered ? undefined : await open(session, step));
  const nowMs = session.engine.clock.now();
  const isWorking = child !== undefined && (await isChildRunning(session, child));
  if (!child && steered) await stop(session, step, { child, error: notStarted(step) });
  // The answer was already there: a steer does not discard it.
  else if (!isWorking) await takeAnswer(session, step, child);
  else if (steered) await stop(session, step, { child, error: interrupted(step) });
  else if (nowMs > wait.untilMs) await stop(session, step, { child, error: timedOut(step) });
  else {
    await parkTurn(session, { untilMs: Math.min(wait.untilMs, nowMs + nextPollMs(wait, nowMs)) });
    return 'working';
  }
  return 'ended';
}

function nextPollMs({ request }: PollStep['wait'], nowMs: number): number {
  const waitedMs = nowMs - Date.parse(request.at);
  return Math.max(delegationPollMs, Math.min(waitedMs / 2, delegationPollMsMax));
}

function open(
  session: WorkerSession,
  { action: { call }, wait }: PollStep,
): Promise<ChildConversation | undefined> {
  const { agent, input, rounds } = agentCallOf(wait);
  const delegated = delegatedBudget(session, call, rounds);
  const { bundle } = session.agent;
  return openChild(session, { call, agent: { bundle, agent }, input, delegated });
}

/** The result with its blocks and its cost, in one append: however often this starts, it is written once. */
async function takeAnswer(
  session: WorkerSession,
  step: PollStep,
  child: ChildConversation | undefined,
): Promise<void> {
  const { action } = step;
  const blocks = child && (await childBlocks(session, child));
  const tool = session.agent.tools.find(({ spec }) => spec.id === action.tool);
  if (!child || !blocks || !tool) {
    const error = tool ? conversationGone(step) : missingTool(session.agent, action.tool);
    await stop(session, step, { child, error });
    return;
  }
  const { agent } = agentCallOf(step.wait);
  const answer = childAnswer(blocks, { agent, conversation: child.id });
  const round = session.turn.rounds.at(-1);
  const { signal } = session.conversation;
  const { admitted } = admissionOf(round, action.call);
  const running = { action, tool, round, signal, admitted, answer };
  const drafts = await runTool(session, running);
  await session.conversation.append([...charge(session, step, blocks), ...drafts]);
}

type StopReason = { readonly child: ChildConversation | undefined; readonly error: ToolError };

async function stop(
  session: WorkerSession,
  step: PollStep,
  { child, error }: StopReason,
): Promise<void> {
  const { action } = step;
  await stopChild(session, action.call);
  const blocks = (child && (await childBlocks(session, child))) ?? [];
  const result = await refusedResult(session, action, error);
  await session.conversation.append([...charge(session, step, blocks), result]);
}

/** Charges the caller's turn with what the other agent has used so far. */
function charge(
  { turn }: WorkerSession,
  { action: { call }, wait }: PollStep,
  blocks: readonly Block[],
): readonly Draft[] {
  const usage = usageOf(blocks);
  if (tokensOf(usage) === 0) return [];
  const { agent } = agentCallOf(wait);
  const data = {
    model: `agent:${agent}`,
    role: 'delegated',
    usage,
    cost_usd: usage['cost_usd'] ?? 0,
  };
  return [{ type: 'model.call', turn: turn.id, author: 'system', call, data }];
}

function agentCallOf({ request }: PollStep['wait']) {
  const data = dataOf('agent.call', request);
  invariant(data, 'a wait for an agent must name the agent');
  return data;
}

function interrupted({ wait }: PollStep): ToolError {
  const { agent, conversation } = agentCallOf(wait);
  const message = `You were stopped or redirected before “${agent}” had answered, and it was stopped. What it had done until then stands (${conversation}).`;
  return { code: 'interrupted', message, retryable: false };
}

function notStarted({ wait }: PollStep): ToolError {
  const { agent } = agentCallOf(wait);
  const message = `You were stopped or redirected before “${agent}” was asked. It did not run.`;
  return { code: 'not_executed', message, retryable: true };
}

function timedOut({ wait }: PollStep): ToolError {
  const { agent, conversation } = agentCallOf(wait);
  const message = `“${agent}” did not answer in time, and was stopped. What it had done until then stands (${conversation}).`;
  return { code: 'timeout', message, retryable: false };
}

function conversationGone({ wait }: PollStep): ToolError {
  const { agent } = agentCallOf(wait);
  const message = `The conversation in which “${agent}” worked on this was deleted. Its answer is lost.`;
  return { code: 'conversation_gone', message, retryable: false };
}
