import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findCycle,
  nextSteps,
  type PlanStep,
  type StepView,
} from '../../../../runtime/timeline/delegation/plan-steps.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';

const call = toCallId('tc_1');

/** Steps that need only earlier ones, in any order. */
const plans = fc
  .array(fc.array(fc.nat(30), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .chain((picks) => {
    const steps: PlanStep[] = picks.map((needs, index) => ({
      id: `s${index}`,
      task: 'Do it',
      agent: 'main',
      needs: index === 0 ? [] : [...new Set(needs.map((each) => `s${each % index}`))],
    }));
    return fc.shuffledSubarray(steps, { minLength: steps.length });
  });

/** Runs a plan: each started step ends at some time, well or not. */
function play(steps: readonly PlanStep[], sideBySide: number, fails: readonly boolean[]) {
  const views = new Map<string, StepView>(steps.map((step) => [step.id, { step }]));
  const started: string[] = [];
  const end = (id: string, ok: boolean) => {
    const view = views.get(id);
    if (view) views.set(id, { ...view, result: { call, step: id, ok } });
  };
  for (let turn = 0; turn < 100; turn += 1) {
    const { ready, blocked } = nextSteps({ steps: [...views.values()] }, { sideBySide });
    for (const { step } of blocked) end(step.id, false);
    for (const step of ready) {
      for (const need of step.needs) expect(views.get(need)?.result?.ok).toBe(true);
      started.push(step.id);
      views.set(step.id, { step, started: { block: {}, data: {} } as never });
    }
    const running = [...views.values()].filter((view) => view.started && !view.result);
    expect(running.length).toBeLessThanOrEqual(sideBySide);
    const [first] = running;
    if (first) end(first.step.id, fails[turn % Math.max(1, fails.length)] !== true);
    else if (blocked.length === 0) break;
  }
  return { views: [...views.values()], started };
}

// proves: plan.runs
test('every step of a plan without a cycle ends, starts at most once, and only after its needs', () => {
  fc.assert(
    fc.property(
      plans,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.boolean()),
      (steps, n, fails) => {
        const { views, started } = play(steps, n, fails);
        expect(views.every(({ result }) => result)).toBe(true);
        expect(new Set(started).size).toBe(started.length);
        if (!fails.includes(true)) expect(started.length).toBe(steps.length);
      },
    ),
  );
});

// proves: plan.refused
test('a cycle is found exactly if the steps have no order, and it names steps that need each other', () => {
  fc.assert(
    fc.property(plans, fc.nat(30), fc.nat(30), (steps, from, to) => {
      expect(findCycle(steps)).toBeUndefined();
      const [one, other] = [steps[from % steps.length], steps[to % steps.length]];
      if (!one || !other) return;
      const more = steps.map((step) =>
        step === one ? { ...step, needs: [...step.needs, other.id] } : step,
      );
      const cycle = findCycle(more);
      const needs = new Map(more.map((step) => [step.id, step.needs]));
      for (const [index, id] of (cycle ?? []).slice(0, -1).entries()) {
        expect(needs.get(id)).toContain(cycle?.[index + 1]);
      }
      if (one === other) expect(cycle).toEqual([one.id, one.id]);
      if (cycle) expect(cycle[0]).toBe(cycle.at(-1));
    }),
  );
});
