import type { Draft } from '../../../timeline/block.ts';
import {
  earlierResults,
  type PlanRun,
  planRunOf,
  plansOf,
  type StepResult,
  type StepView,
} from '../../../timeline/delegation/plan-steps.ts';
import { AgentAnswer, type PlanAnswer } from '../../../tools/ports/agent-answer.ts';
import { replansMax } from '../../../tools/react/limits.ts';
import { delegationPollMs, delegationPollMsMax } from '../../limits.ts';
import type { PollPlanStep } from '../../plan/plan-call.ts';
import type { WorkerSession } from '../../session/session.ts';
import { missingTool } from '../call/call-refusal.ts';
import { parkTurn } from '../call/park-turn.ts';
import { admissionOf } from '../call/run-calls.ts';
import { refusedResult, runTool } from '../call/run-tool.ts';
import { dueMs, pollStep, stepsAtWork, stopStep } from './poll-step.ts';
import { startSteps } from './start-steps.ts';
import { failedStep } from './step-result.ts';
import { type Verdict, verifyPlan } from './verify-plan.ts';

/**
 * A plan whose steps other agents work on. All that it needs is on the log: which steps have started, and what came of
 * those that ended. Each session writes what is new, and goes on from there; the result of the call comes last.
 */
export async function pollPlan(
  session: WorkerSession,
  step: PollPlanStep,
): Promise<'working' | 'ended'> {
  const run = planRunOf(step.plan);
  const atWork = stepsAtWork(run);
  const drafts = step.steered
    ? await stopAll(session, step, run)
    : await advance(session, step, run);
  if (drafts.length > 0) await session.conversation.append(drafts);
  else if (run.steps.every(({ result }) => result)) await finish(session, step, run);
  else {
    const nowMs = session.engine.clock.now();
    const times = atWork.map((view) => Math.min(dueMs(session, view) + 1, nextPollMs(view, nowMs)));
    await parkTurn(session, { untilMs: Math.min(...times) });
    return 'working';
  }
  return 'ended';
}

/** News of the steps at work; without any, the steps that may start now. */
async function advance(
  session: WorkerSession,
  { action }: PollPlanStep,
  run: PlanRun,
): Promise<readonly Draft[]> {
  const { call } = action;
  const results = resultsFor(session, run);
  const polled = stepsAtWork(run).map((view) => pollStep(session, { call, view, results }));
  const news = (await Promise.all(polled)).flat();
  return news.length > 0 ? news : startSteps(session, action, run);
}

/** The user stopped or redirected the turn. What had ended stands, and the model reads it. */
async function stopAll(
  session: WorkerSession,
  { action: { call } }: PollPlanStep,
  run: PlanRun,
): Promise<readonly Draft[]> {
  const results = resultsFor(session, run);
  const stopped = stepsAtWork(run).map((view) => stopStep(session, { call, view, results }));
  const place = { turn: session.turn.id, call };
  const waiting = run.steps.filter(({ started, result }) => !started && !result);
  const unstarted = waiting.map(({ step: { id: step } }) =>
    failedStep({ ...place, step }, { code: 'not_executed', message: 'It had not started.' }),
  );
  return [...(await Promise.all(stopped)).flat(), ...unstarted];
}

function nextPollMs({ started }: Pick<StepView, 'started'>, nowMs: number): number {
  const waitedMs = nowMs - Date.parse(started?.block.at ?? '');
  return nowMs + Math.max(delegationPollMs, Math.min(waitedMs / 2, delegationPollMsMax));
}

/** Of this plan, and of earlier plans of the turn. */
function resultsFor({ turn }: WorkerSession, run: PlanRun): ReadonlyMap<string, StepResult> {
  const own = run.steps.flatMap(({ result }) => result ?? []);
  const ids = new Set(run.steps.map(({ step }) => step.id));
  const earlier = [...earlierResults(plansOf(turn))].filter(([id]) => !ids.has(id));
  return new Map([...earlier, ...own.map((result) => [result.step, result] as const)]);
}

/** The result of the call, from the ends of its steps. */
async function finish(
  session: WorkerSession,
  { action, steered }: PollPlanStep,
  run: PlanRun,
): Promise<void> {
  const tool = session.agent.tools.find(({ spec }) => spec.id === action.tool);
  if (!tool) {
    const error = missingTool(session.agent, action.tool);
    await session.conversation.append([await refusedResult(session, action, error)]);
    return;
  }
  const steps = answersOf(run);
  const goal = run.goal ?? requestOf(session);
  const checked = { call: action.call, goal, steps };
  const verdict = steered ? undefined : await verifyPlan(session, checked);
  const round = session.turn.rounds.at(-1);
  const { signal } = session.conversation;
  const { admitted } = admissionOf(round, action.call);
  const ret = planAnswer(session, steps, verdict);
  const running = { action, tool, round, signal, admitted, answer: { ok: true as const, ret } };
  await session.conversation.append(await runTool(session, running));
}

function planAnswer(
  { turn }: WorkerSession,
  steps: PlanAnswer['steps'],
  verdict: Verdict | undefined,
): PlanAnswer {
  const replansLeft = Math.max(0, replansMax + 1 - plansOf(turn).length);
  return { steps, ...(verdict ? { verdict } : {}), replansLeft };
}

function requestOf({ turn }: WorkerSession): string {
  return turn.events.map(({ text = '' }) => text).join('\n\n');
}

function answersOf({ steps }: PlanRun): PlanAnswer['steps'] {
  const needed = new Set(steps.flatMap(({ step }) => step.needs));
  return steps.map(({ step: { id, agent }, result }) => {
    const { ok = false, ret, error, conversation } = result ?? {};
    const { code = 'unknown', message = '' } = error ?? {};
    const said = AgentAnswer.safeParse(ret);
    const path = pathOf(ret);
    return {
      ...{ id, agent, isNeeded: needed.has(id) },
      ...(conversation === undefined ? {} : { conversation }),
      ...(path === undefined ? {} : { path }),
      ...(ok && said.success ? { answer: said.data } : { error: { code, message } }),
    };
  });
}

function pathOf(ret: StepResult['ret']): string | undefined {
  const path = typeof ret === 'object' && ret !== null && 'path' in ret ? ret['path'] : undefined;
  return typeof path === 'string' ? path : undefined;
}
