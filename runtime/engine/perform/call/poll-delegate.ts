import { invariant } from '../../../base/assert.ts';
import type { Block, Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { delegationPollMs, delegationPollMsMax } from '../../limits.ts';
import { tokensOf, usageOf } from '../../model/usage.ts';
import type { Attend } from '../../plan/plan-call.ts';
import type { Visit } from '../../session/session.ts';
import { answerOf } from '../delegate/child-answer.ts';
import {
  blocksOf,
  type Child,
  findChild,
  isAtWork,
  openChild,
  stopChild,
} from '../delegate/child-conversation.ts';
import { lentFrom } from '../delegate/delegate.ts';
import { notFound } from './call-refusal.ts';
import { park } from './park-turn.ts';
import { admissionOf } from './run-calls.ts';
import { perform, refusedResult } from './run-tool.ts';

/**
 * A call that another agent works on. Nothing of that agent's conversation is believed to be known: every visit looks
 * for it, makes it if it is not there, and takes its answer once it has ended. So a crash anywhere neither makes two of
 * them nor loses an answer, and the result is the owner's to append, of which there is one (I4).
 */
export async function attend(visit: Visit, step: Attend): Promise<'working' | 'ended'> {
  const { action, wait, steered } = step;
  const found = await findChild(visit, action.call);
  const child = found ?? (steered ? undefined : await open(visit, step));
  const nowMs = visit.engine.clock.now();
  const isWorking = child !== undefined && (await isAtWork(visit, child));
  if (!child && steered) await stop(visit, step, { child, error: unopened(step) });
  // Its answer was there before anyone looked: a steer does not take it away.
  else if (!isWorking) await take(visit, step, child);
  else if (steered) await stop(visit, step, { child, error: interrupted(step) });
  else if (nowMs > wait.untilMs) await stop(visit, step, { child, error: late(step) });
  else {
    await park(visit, { untilMs: Math.min(wait.untilMs, nowMs + lookAgainMs(wait, nowMs)) });
    return 'working';
  }
  return 'ended';
}

function lookAgainMs({ asked }: Attend['wait'], nowMs: number): number {
  const waitedMs = nowMs - Date.parse(asked.at);
  return Math.max(delegationPollMs, Math.min(waitedMs / 2, delegationPollMsMax));
}

function open(visit: Visit, { action: { call }, wait }: Attend): Promise<Child | undefined> {
  const { agent, input, rounds } = handedOver(wait);
  const delegated = lentFrom(visit, call, rounds);
  const { bundle } = visit.agent;
  return openChild(visit, { call, agent: { bundle, agent }, input, delegated });
}

/** What came of it, what it cost, and the result in one append: however often this is begun, it is there once. */
async function take(visit: Visit, step: Attend, child: Child | undefined): Promise<void> {
  const { action } = step;
  const blocks = child && (await blocksOf(visit, child));
  const tool = visit.agent.tools.find(({ spec }) => spec.id === action.tool);
  if (!child || !blocks || !tool) {
    const error = tool ? gone(step) : notFound(action.tool);
    await stop(visit, step, { child, error });
    return;
  }
  const { agent } = handedOver(step.wait);
  const answer = answerOf(blocks, { agent, conversation: child.id });
  const round = visit.turn.rounds.at(-1);
  const { signal } = visit.owned;
  const { admitted } = admissionOf(round, action.call);
  const running = { action, tool, round, signal, admitted, answer };
  const drafts = await perform(visit, running);
  await visit.owned.append([...charge(visit, step, blocks), ...drafts]);
}

type Stopping = { readonly child: Child | undefined; readonly error: ToolError };

async function stop(visit: Visit, step: Attend, { child, error }: Stopping): Promise<void> {
  const { action } = step;
  await stopChild(visit, action.call);
  const blocks = (child && (await blocksOf(visit, child))) ?? [];
  const result = await refusedResult(visit, action, error);
  await visit.owned.append([...charge(visit, step, blocks), result]);
}

/** On the budget of the turn that asked: what the other agent has used up to now. */
function charge(
  { turn }: Visit,
  { action: { call }, wait }: Attend,
  blocks: readonly Block[],
): readonly Draft[] {
  const usage = usageOf(blocks);
  if (tokensOf(usage) === 0) return [];
  const { agent } = handedOver(wait);
  const data = {
    model: `agent:${agent}`,
    role: 'delegated',
    usage,
    cost_usd: usage['cost_usd'] ?? 0,
  };
  return [{ type: 'model.call', turn: turn.id, author: 'system', call, data }];
}

function handedOver({ asked }: Attend['wait']) {
  const data = dataOf('agent.call', asked);
  invariant(data, 'what waits for an agent says for which');
  return data;
}

function interrupted({ wait }: Attend): ToolError {
  const { agent, conversation } = handedOver(wait);
  const message = `You were stopped or redirected before “${agent}” had answered, and it was stopped. What it had done until then stands (${conversation}).`;
  return { code: 'interrupted', message, retryable: false };
}

function unopened({ wait }: Attend): ToolError {
  const { agent } = handedOver(wait);
  const message = `You were stopped or redirected before “${agent}” was asked. It did not run.`;
  return { code: 'not_executed', message, retryable: true };
}

function late({ wait }: Attend): ToolError {
  const { agent, conversation } = handedOver(wait);
  const message = `“${agent}” did not answer in time, and was stopped. What it had done until then stands (${conversation}).`;
  return { code: 'timeout', message, retryable: false };
}

function gone({ wait }: Attend): ToolError {
  const { agent } = handedOver(wait);
  const message = `The conversation in which “${agent}” worked on this was deleted. Its answer is lost.`;
  return { code: 'conversation_gone', message, retryable: false };
}
