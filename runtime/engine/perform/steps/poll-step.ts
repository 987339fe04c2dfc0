import type { Draft } from '../../../timeline/block.ts';
import type { PlanRun, StepResult, StepView } from '../../../timeline/delegation/plan-steps.ts';
import type { CallId } from '../../../timeline/ids.ts';
import { paths, withOwner } from '../../../timeline/paths.ts';
import type { WorkerSession } from '../../session/session.ts';
import { agentRef } from '../delegate/agent-ref.ts';
import { charge } from '../delegate/charge.ts';
import { childAnswer } from '../delegate/child-answer.ts';
import {
  type ChildConversation,
  childBlocks,
  findChild,
  isChildRunning,
  openChild,
  stopChild,
} from '../delegate/child-conversation.ts';
import { toDelegated } from '../delegate/delegate.ts';
import { closeRelays, relayApprovals, relayedMs } from '../delegate/relay-approvals.ts';
import { stepPrompt } from './step-prompt.ts';
import { endedStep, failedStep } from './step-result.ts';

export type StartedStep = StepView & Required<Pick<StepView, 'started'>>;

type StepWork = {
  readonly call: CallId;
  readonly view: StartedStep;
  /** Of the steps that it may need. */
  readonly results: ReadonlyMap<string, StepResult>;
};

/**
 * What has to be written about a step at work: its end with its cost, or questions of its agent. Every session looks the
 * conversation up and creates it if it is missing, so that a crash neither starts a step twice nor loses its answer.
 */
export async function pollStep(session: WorkerSession, work: StepWork): Promise<readonly Draft[]> {
  const { call, view } = work;
  const { step, started } = view;
  const { agent } = step;
  const place = { turn: session.turn.id, call, step: step.id };
  const child = (await findChild(session, { call, step: step.id })) ?? (await open(session, work));
  const blocks = child && (await childBlocks(session, child));
  if (!child || !blocks) {
    const gone = `The conversation in which “${agent}” worked on this was deleted. Its answer is lost.`;
    const conversation = started.data.conversation;
    const error = { code: 'conversation_gone', message: gone };
    return [...closeRelays(session, conversation), failedStep(place, error, conversation)];
  }
  const costs = () => charge(session, { call, agent, blocks });
  const { id: conversation, turn } = child;
  if (blocks.some(({ type }) => type === 'turn.close')) {
    const answer = childAnswer(blocks, { agent, conversation });
    const path = withOwner(paths.completion(turn), conversation);
    const end = endedStep(place, answer, { conversation, path });
    return [...closeRelays(session, conversation, blocks), ...costs(), end];
  }
  if (!isOverdue(session, view)) return relayApprovals(session, { child, agent, blocks });
  await stopChild(session, { call, step: step.id });
  const message = `“${agent}” did not end in time, and was stopped. What it had done until then stands (${conversation}).`;
  const end = failedStep(place, { code: 'timeout', message }, conversation);
  return [...closeRelays(session, conversation, blocks), ...costs(), end];
}

/** Stops a step at work, and charges what it has used. An answer that was already there counts. */
export async function stopStep(session: WorkerSession, work: StepWork): Promise<readonly Draft[]> {
  const { call, view } = work;
  const { step, started } = view;
  const at = { call, step: step.id };
  const child = await findChild(session, at);
  if (child && !(await isChildRunning(session, child))) return pollStep(session, work);
  await stopChild(session, at);
  const blocks = (child && (await childBlocks(session, child))) ?? [];
  const { conversation } = started.data;
  const message = `“${step.agent}” was stopped before it had ended.`;
  const error = { code: 'interrupted', message };
  return [
    ...closeRelays(session, conversation, blocks),
    ...charge(session, { call, agent: step.agent, blocks }),
    failedStep({ turn: session.turn.id, ...at }, error, conversation),
  ];
}

/** Steps that have started and not ended. */
export function stepsAtWork({ steps }: PlanRun): readonly StartedStep[] {
  return steps.flatMap(({ started, result, ...view }) =>
    started && !result ? [{ ...view, started }] : [],
  );
}

/** Time in which it waits for people does not count. */
export function dueMs(session: WorkerSession, { started: { data } }: StartedStep): number {
  return Date.parse(data.deadline) + relayedMs(session, data.conversation);
}

function isOverdue(session: WorkerSession, view: StartedStep): boolean {
  return session.engine.clock.now() > dueMs(session, view);
}

function open(
  session: WorkerSession,
  { call, view: { step, started }, results }: StepWork,
): Promise<ChildConversation | undefined> {
  const work = { call, step: step.id };
  const { rounds, wall_ms, tokens, cost_usd } = started.data.lent ?? { rounds: 0, wall_ms: 0 };
  const lent = {
    ...{ rounds, wall_ms },
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost_usd === undefined ? {} : { cost_usd }),
  };
  const { role } = step;
  const delegated = {
    ...toDelegated(session, work, lent),
    ...(role === undefined ? {} : { role }),
  };
  const ref = agentRef(step.agent, session.agent);
  return openChild(session, { work, agent: ref, text: stepPrompt(step, results), delegated });
}
