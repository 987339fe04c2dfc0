import type { Draft } from '../block.ts';
import type { CallId, TurnId } from '../ids.ts';
import { planStepCharsMax, planStepsMax } from '../limits.ts';
import { parsePath, paths } from '../paths.ts';
import type { PlanSnapshot, View } from '../view.ts';
import { isOpen, stepLine } from './plan-text.ts';

export type PlanCommand = {
  readonly mode: string;
  /** `plan:…`, or the path `ar:plan.latest:plan:…`. Without it, `replace` and `close` mean the current plan. */
  readonly plan_id?: string;
  readonly steps?: readonly string[];
};

type PlanPlace = {
  readonly turn: TurnId;
  /** The call that changes the plan. The same call creates the same plan id. */
  readonly call: CallId;
  /** ISO time. */
  readonly now: string;
};

type PlanErrorCode =
  | 'plan_mode'
  | 'plan_target_required'
  | 'plan_target_missing'
  | 'plan_closed'
  | 'plan_steps';
type PlanOutcome =
  | {
      readonly ok: true;
      readonly plan: PlanSnapshot;
      /** The last state of the plan that it replaces. */
      readonly replaced?: PlanSnapshot;
      readonly drafts: readonly Draft[];
    }
  | { readonly ok: false; readonly code: PlanErrorCode; readonly message: string };

/** Applies one plan command; returns the snapshots to append. An error message says what to write instead. */
export function changePlan(view: View, command: PlanCommand, place: PlanPlace): PlanOutcome {
  switch (command.mode) {
    case 'new':
      return withSteps(command, (steps) => begin(view, place, { steps }));
    case 'replace':
      return withSteps(command, (steps) =>
        withTarget(view, command, (old) => begin(view, place, { steps, old })),
      );
    case 'activate':
      return withTarget(view, command, (plan) => activate(view, place, plan));
    case 'close':
      return withTarget(view, command, (plan) => close(plan, place));
    default:
      return refused(
        'plan_mode',
        `There is no mode “${command.mode}”. Modes: new, replace, activate, close.`,
      );
  }
}

/** The current plan while it is open. */
export function currentPlan({ plans }: View): PlanSnapshot | undefined {
  return plans.findLast((plan) => plan.current && isOpen(plan));
}

/** The plan with this id or path. */
export function findPlan({ plans }: View, written: string): PlanSnapshot | undefined {
  const id = planId(written);
  return plans.find(({ plan_id }) => plan_id === id);
}

type Steps = readonly string[];

function begin(
  view: View,
  place: PlanPlace,
  { steps, old }: { steps: Steps; old?: PlanSnapshot },
): PlanOutcome {
  const { turn, call, now } = place;
  const plan: PlanSnapshot = {
    plan_id: `plan:${hash(call)}`,
    steps,
    status: Object.fromEntries(steps.map((_, index) => [String(index + 1), 'pending' as const])),
    current: true,
    created_ts: now,
    last_ts: now,
    origin_turn_id: turn,
    last_turn_id: turn,
  };
  const replaced = old && {
    ...touched(old, place),
    current: false,
    superseded_ts: now,
    superseded_turn_id: turn,
    superseded_by_plan_id: plan.plan_id,
  };
  const others = demoted(view, place, old?.plan_id);
  const drafts = [...others, ...(replaced ? [replaced] : []), plan].map((each) =>
    planDraft(each, turn),
  );
  return { ok: true, plan, drafts, ...(replaced ? { replaced } : {}) };
}

function activate(view: View, place: PlanPlace, target: PlanSnapshot): PlanOutcome {
  const plan = { ...touched(target, place), current: true };
  return changed(plan, [...demoted(view, place, target.plan_id), plan], place.turn);
}

function close(target: PlanSnapshot, place: PlanPlace): PlanOutcome {
  const { turn, now } = place;
  const plan = { ...touched(target, place), current: false, closed_ts: now, closed_turn_id: turn };
  return changed(plan, [plan], turn);
}

/** Only one lineage is current. */
function demoted(
  { plans }: View,
  place: PlanPlace,
  besides: string | undefined,
): readonly PlanSnapshot[] {
  return plans
    .filter((plan) => plan.current && plan.plan_id !== besides)
    .map((plan) => ({ ...touched(plan, place), current: false }));
}

function touched(plan: PlanSnapshot, { turn, now }: PlanPlace): PlanSnapshot {
  return { ...plan, last_ts: now, last_turn_id: turn };
}

function changed(
  plan: PlanSnapshot,
  snapshots: readonly PlanSnapshot[],
  turn: TurnId,
): PlanOutcome {
  return { ok: true, plan, drafts: snapshots.map((each) => planDraft(each, turn)) };
}

export function planDraft(plan: PlanSnapshot, turn: TurnId): Draft {
  const text = plan.steps.map((_, index) => stepLine(plan, index + 1)).join('\n');
  return {
    type: 'react.plan',
    turn,
    author: 'agent',
    path: paths.plan(turn, plan.plan_id),
    text,
    data: plan,
  };
}

function withSteps({ steps }: PlanCommand, then: (steps: Steps) => PlanOutcome): PlanOutcome {
  const clean = (steps ?? []).map((step) => step.trim());
  const fits = clean.every((step) => step !== '' && step.length <= planStepCharsMax);
  if (clean.length > 0 && clean.length <= planStepsMax && fits) return then(clean);
  return refused(
    'plan_steps',
    `Give 1 to ${planStepsMax} steps, each a text of at most ${planStepCharsMax} characters.`,
  );
}

function withTarget(
  view: View,
  command: PlanCommand,
  then: (plan: PlanSnapshot) => PlanOutcome,
): PlanOutcome {
  const id = command.plan_id === undefined ? defaultTarget(view, command) : planId(command.plan_id);
  if (id === undefined)
    return refused(
      'plan_target_required',
      `Mode ${command.mode} needs plan_id. ${openPlans(view)}`,
    );
  const plan = findPlan(view, id);
  if (!plan) return refused('plan_target_missing', `There is no plan ${id}. ${openPlans(view)}`);
  if (plan.closed_ts !== undefined || plan.superseded_ts !== undefined) {
    return refused('plan_closed', `The plan ${id} is closed; begin a new one. ${openPlans(view)}`);
  }
  return then(plan);
}

function defaultTarget({ plans }: View, { mode }: PlanCommand): string | undefined {
  return mode === 'activate' ? undefined : plans.findLast(({ current }) => current)?.plan_id;
}

function planId(text: string): string {
  const path = parsePath(text);
  return path?.family === 'plan' ? path.plan : text.trim();
}

function openPlans({ plans }: View): string {
  const open = plans.filter(isOpen).map(({ plan_id }) => plan_id);
  if (open.length > 0) return `Open: ${open.join(', ')}.`;
  const turn = plans.at(-1)?.last_turn_id;
  const all = turn === undefined ? '' : ` All there were: ${paths.planHistory(turn)}.`;
  return `No plan is open.${all}`;
}

function refused(code: PlanErrorCode, message: string): PlanOutcome {
  return { ok: false, code, message };
}

/** 8 hex digits of FNV-1a: short, and the same for the same call. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}
