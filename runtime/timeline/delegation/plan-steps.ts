import { isJsonObject, type Json } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { type DataOf, dataOf } from '../catalogue/catalogue.ts';
import type { CallView, PlanView, TurnView } from '../view.ts';

/** A step as `react.run_plan` was called with it. */
export type PlanStep = DataOf<'agent.plan'>['steps'][number];
export type StepResult = DataOf<'agent.result'>;
export type StepStart = DataOf<'agent.call'>;

/** A step, and how far it is. */
export type StepView = {
  readonly step: PlanStep;
  /** The block that started it, and its data. */
  readonly started?: { readonly block: Block; readonly data: StepStart };
  readonly result?: StepResult;
};

export type PlanRun = {
  readonly steps: readonly StepView[];
  readonly goal?: string;
};

export function planRunOf(plan: PlanView): PlanRun {
  const { steps = [], goal } = dataOf('agent.plan', plan.request) ?? {};
  const started = new Map(plan.started.map((block) => [stepOf(block), block]));
  const ended = new Map(plan.ended.map((block) => [stepOf(block), block]));
  return {
    ...(goal === undefined ? {} : { goal }),
    steps: steps.map((step) => stepView(step, started.get(step.id), ended.get(step.id))),
  };
}

function stepView(step: PlanStep, start: Block | undefined, end: Block | undefined): StepView {
  const data = start && dataOf('agent.call', start);
  const result = end && dataOf('agent.result', end);
  return {
    step,
    ...(start && data ? { started: { block: start, data } } : {}),
    ...(result ? { result } : {}),
  };
}

function stepOf({ data }: Block): Json | undefined {
  return isJsonObject(data) ? data['step'] : undefined;
}

/** The plans that the turn has run or runs, in order. */
export function plansOf({ rounds }: TurnView): readonly PlanView[] {
  return rounds.flatMap(({ calls }) => calls.flatMap(({ plan }: CallView) => plan ?? []));
}

/** The successful steps of earlier plans of a turn, by id; the newest of each id. */
export function earlierResults(plans: readonly PlanView[]): ReadonlyMap<string, StepResult> {
  const results = plans.flatMap((plan) =>
    planRunOf(plan).steps.flatMap(({ result }) => result ?? []),
  );
  return new Map(results.filter(({ ok }) => ok).map((result) => [result.step, result]));
}

export type NextSteps = {
  /** They may start now, in this order. */
  readonly ready: readonly PlanStep[];
  /** A step that they need failed, so they never start. */
  readonly blocked: readonly { readonly step: PlanStep; readonly need: string }[];
};

/** What follows from the state of the steps. Other needs are results of earlier plans. */
export function nextSteps({ steps }: PlanRun, { sideBySide }: { sideBySide: number }): NextSteps {
  const byId = new Map(steps.map((each) => [each.step.id, each]));
  const waiting = steps.filter(({ started, result }) => !started && !result);
  const running = steps.filter(({ started, result }) => started && !result).length;
  const failed = (id: string) => byId.get(id)?.result?.ok === false;
  const open = (id: string) => byId.has(id) && !byId.get(id)?.result;
  const blocked = waiting.flatMap(({ step }) => {
    const need = step.needs.find(failed);
    return need === undefined ? [] : [{ step, need }];
  });
  const ready = waiting
    .map(({ step }) => step)
    .filter(({ needs }) => !needs.some((id) => open(id) || failed(id)));
  return { ready: ready.slice(0, Math.max(0, sideBySide - running)), blocked };
}

/** Ids of steps that need each other in a circle, the first one again at the end. Undefined: the steps have an order. */
export function findCycle(
  steps: readonly { readonly id: string; readonly needs: readonly string[] }[],
): readonly string[] | undefined {
  const needs = new Map(steps.map((step) => [step.id, step.needs]));
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id)) return undefined;
    for (const need of needs.get(id) ?? []) {
      const found = visit(need, [...path, id]);
      if (found) return found;
    }
    done.add(id);
    return undefined;
  };
  for (const { id } of steps) {
    const found = visit(id, []);
    if (found) return found;
  }
  return undefined;
}
