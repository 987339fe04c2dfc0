import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { acknowledge } from '../../../../runtime/timeline/plans/acknowledge.ts';
import { isOpen } from '../../../../runtime/timeline/plans/plan-text.ts';
import {
  changePlan,
  currentPlan,
  type PlanCommand,
} from '../../../../runtime/timeline/plans/plans.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { LogWriter } from '../logs/log-writer.ts';

// proves: timeline.plans

const now = '2026-01-01T00:00:00.000Z';

/** A conversation whose agent plans: each command is applied and folded. */
class Planner {
  readonly log = new LogWriter();
  calls = 0;

  constructor() {
    this.log.append({ type: 'turn.open', turn: toTurnId('turn_1'), author: 'system', data: {} });
  }

  get view(): View {
    return foldAll(emptyView, this.log.blocks);
  }

  do(command: PlanCommand) {
    this.calls += 1;
    const outcome = changePlan(this.view, command, {
      turn: toTurnId('turn_1'),
      call: toCallId(`tc_${this.calls}`),
      now,
    });
    if (outcome.ok) this.log.append(...outcome.drafts);
    return outcome;
  }

  say(notes: string): readonly Draft[] {
    const drafts = acknowledge(notes, currentPlan(this.view), { turn: toTurnId('turn_1'), now });
    this.log.append(...drafts);
    return drafts;
  }
}

function started(...steps: readonly string[]): { planner: Planner; id: string } {
  const planner = new Planner();
  const outcome = planner.do({ mode: 'new', steps });
  return { planner, id: outcome.ok ? outcome.plan.plan_id : '' };
}

test('a new plan is current, and the previous one is not', () => {
  const { planner, id } = started('look');
  planner.do({ mode: 'new', steps: ['say', 'do'] });
  const [first, second] = planner.view.plans;
  expect(first).toMatchObject({ plan_id: id, current: false });
  expect(second).toMatchObject({
    current: true,
    status: { 1: 'pending', 2: 'pending' },
    origin_turn_id: toTurnId('turn_1'),
  });
  expect(second?.plan_id).toMatch(/^plan:[0-9a-f]{8}$/);
  expect(currentPlan(planner.view)).toEqual(second);
});

test('an older plan can be made current again, by its id or its path', () => {
  const { planner, id } = started('look');
  planner.do({ mode: 'new', steps: ['say'] });
  expect(planner.do({ mode: 'activate', plan_id: `ar:plan.latest:${id}` }).ok).toBe(true);
  expect(planner.view.plans.map(({ current }) => current)).toEqual([true, false]);
});

test('replacing supersedes the old plan and names its successor', () => {
  const { planner } = started('look');
  planner.do({ mode: 'replace', steps: ['look closer'] });
  const [old, next] = planner.view.plans;
  expect(old).toMatchObject({ superseded_by_plan_id: next?.plan_id, current: false });
  expect(old && isOpen(old)).toBe(false);
  expect(currentPlan(planner.view)).toEqual(next);
});

test('a closed plan stays closed', () => {
  const { planner, id } = started('look');
  expect(planner.do({ mode: 'close' }).ok).toBe(true);
  expect(currentPlan(planner.view)).toBeUndefined();
  expect(planner.do({ mode: 'activate', plan_id: id })).toMatchObject({
    ok: false,
    code: 'plan_closed',
  });
});

test.each([
  [{ mode: 'start' }, 'plan_mode'],
  [{ mode: 'new' }, 'plan_steps'],
  [{ mode: 'new', steps: [' '] }, 'plan_steps'],
  [{ mode: 'activate' }, 'plan_target_required'],
  [{ mode: 'close', plan_id: 'plan:x' }, 'plan_target_missing'],
] as const)('%j is refused as %s, and nothing changes', (command, code) => {
  const { planner } = started('look');
  const before = planner.view;
  expect(planner.do(command)).toMatchObject({ ok: false, code });
  expect(planner.view).toEqual(before);
});

test('the same call creates the same plan id, so that a repeated call creates no second plan', () => {
  const place = { turn: toTurnId('turn_1'), call: toCallId('tc_1'), now };
  const one = changePlan(emptyView, { mode: 'new', steps: ['a'] }, place);
  expect(changePlan(emptyView, { mode: 'new', steps: ['a'] }, place)).toEqual(one);
});

test('notes acknowledge steps of the current plan', () => {
  const { planner } = started('look', 'compute', 'say');
  planner.say('✓ [1] looked\n… 2. computing\nsome words ✓ [3]');
  expect(currentPlan(planner.view)?.status).toEqual({ 1: 'done', 2: 'in_progress', 3: 'pending' });
  expect(planner.view.turns[0]?.blocks.at(-2)).toMatchObject({
    type: 'react.plan.ack',
    text: '✓ [1] look\n▶ [2] compute',
    data: { changes: { 1: 'done', 2: 'in_progress' } },
  });
});

test.each(['▶ [2]', '▶️ [2]', '… [2]', '⏳ 2.'])('%s marks the step in progress', (notes) => {
  const { planner } = started('look', 'compute');
  planner.say(notes);
  expect(currentPlan(planner.view)?.status).toMatchObject({ 2: 'in_progress' });
});

test('one line may contain several marks, and the last mark of a step counts', () => {
  const { planner } = started('look', 'compute');
  planner.say('✓ [1], ▶ [2]\n✗ [2]');
  expect(planner.view.plans[0]?.status).toEqual({ 1: 'done', 2: 'failed' });
  expect(currentPlan(planner.view)).toBeUndefined();
});

test.each(['✓ [4]', '✓ [0]', '□ [1]', 'done [1]', '✓ nothing'])(
  '“%s” changes nothing and leaves no block',
  (notes) => {
    expect(started('look', 'compute', 'say').planner.say(notes)).toEqual([]);
  },
);

test('without an open plan notes are only notes', () => {
  expect(new Planner().say('✓ [1]')).toEqual([]);
});
