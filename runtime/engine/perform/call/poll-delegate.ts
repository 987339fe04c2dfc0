import { invariant } from '../../../base/assert.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { delegationPollMs, delegationPollMsMax } from '../../limits.ts';
import type { PollStep } from '../../plan/plan-call.ts';
import type { WorkerSession } from '../../session/session.ts';
import { charge } from '../delegate/charge.ts';
import { childAnswer } from '../delegate/child-answer.ts';
import {
  type ChildConversation,
  childBlocks,
  findChild,
  isChildRunning,
  stopChild,
} from '../delegate/child-conversation.ts';
import { openDelegate } from '../delegate/open-delegate.ts';
import { closeRelays, relayApprovals, relayedMs } from '../delegate/relay-approvals.ts';
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
  const found = await findChild(session, { call: action.call });
  const child =
    found ?? (steered ? undefined : await openDelegate(session, agentCallOf(step.wait)));
  const nowMs = session.engine.clock.now();
  const isWorking = child !== undefined && (await isChildRunning(session, child));
  if (!child && steered) await stop(session, step, { child, error: notStarted(step) });
  // The answer was already there: a steer does not discard it.
  else if (!isWorking) await takeAnswer(session, step, child);
  else if (steered) await stop(session, step, { child, error: interrupted(step) });
  else if (nowMs > wait.untilMs + relayedMs(session, child.id))
    await stop(session, step, { child, error: timedOut(step) });
  else if (await relay(session, step, child)) return 'ended';
  else {
    await parkTurn(session, { untilMs: Math.min(wait.untilMs, nowMs + nextPollMs(wait, nowMs)) });
    return 'working';
  }
  return 'ended';
}

/** True: the agent asks a person, or was answered, and the log has that now. */
async function relay(session: WorkerSession, step: PollStep, child: ChildConversation) {
  const blocks = (await childBlocks(session, child)) ?? [];
  const { agent } = agentCallOf(step.wait);
  const drafts = await relayApprovals(session, { child, agent, blocks });
  if (drafts.length > 0) await session.conversation.append(drafts);
  return drafts.length > 0;
}

function nextPollMs({ request }: PollStep['wait'], nowMs: number): number {
  const waitedMs = nowMs - Date.parse(request.at);
  return Math.max(delegationPollMs, Math.min(waitedMs / 2, delegationPollMsMax));
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
  const before = closeRelays(session, child.id, blocks);
  const costs = charge(session, { ...agentCallOf(step.wait), blocks });
  await session.conversation.append([...before, ...costs, ...drafts]);
}

type StopReason = { readonly child: ChildConversation | undefined; readonly error: ToolError };

async function stop(
  session: WorkerSession,
  step: PollStep,
  { child, error }: StopReason,
): Promise<void> {
  const { action } = step;
  await stopChild(session, { call: action.call });
  const blocks = (child && (await childBlocks(session, child))) ?? [];
  const result = await refusedResult(session, action, error);
  const called = agentCallOf(step.wait);
  const before = closeRelays(session, called.conversation, blocks);
  await session.conversation.append([...before, ...charge(session, { ...called, blocks }), result]);
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
