import type { Draft } from '../block.ts';
import type { TurnId } from '../ids.ts';
import type { PlanSnapshot, StepStatus } from '../view.ts';
import { statusOf, stepLine } from './plan-text.ts';
import { planDraft } from './plans.ts';

const glyphs: Readonly<Record<StepStatus, string>> = {
  done: '✓✔☑✅',
  failed: '✗✘❌✕',
  in_progress: '▶…⏳',
  pending: '□☐',
};
const anyGlyph = `[${Object.values(glyphs).join('')}]\\uFE0F?`;
const acknowledging = new RegExp(`^\\s*(?:[-*]\\s+)?${anyGlyph}\\s*(?:\\[\\d+\\]|\\d+[.:])`, 'u');
const mark = new RegExp(`(${anyGlyph})\\s*(?:\\[(\\d+)\\]|(\\d+)[.:])`, 'gu');

/**
 * Applies notes about a plan: lines that begin with ✓ ✗ ▶ or □ and a step, `[n]`, `n.` or `n:`.
 * Returns the acknowledgement and the new snapshot to append; empty without a plan, or if no status changes.
 */
export function acknowledge(
  notes: string,
  plan: PlanSnapshot | undefined,
  place: { turn: TurnId; now: string },
): readonly Draft[] {
  if (!plan) return [];
  const changes = changesIn(notes, plan);
  if (Object.keys(changes).length === 0) return [];
  const { turn, now } = place;
  const next: PlanSnapshot = {
    ...plan,
    status: { ...plan.status, ...changes },
    last_ts: now,
    last_turn_id: turn,
    last_ack_ts: now,
    last_ack_turn_id: turn,
  };
  const text = Object.keys(changes)
    .map((step) => stepLine(next, Number(step)))
    .join('\n');
  const data = { plan_id: plan.plan_id, changes };
  return [{ type: 'react.plan.ack', turn, author: 'agent', text, data }, planDraft(next, turn)];
}

/** Changed statuses by step; the last mark of a step counts. */
function changesIn(notes: string, plan: PlanSnapshot): Readonly<Record<string, StepStatus>> {
  const said = new Map<number, StepStatus>();
  for (const line of notes.split('\n').filter((each) => acknowledging.test(each))) {
    for (const [, glyph = '', bracketed, dotted] of line.matchAll(mark)) {
      const step = Number(bracketed ?? dotted);
      const status = statusFor(glyph);
      if (status && step >= 1 && step <= plan.steps.length) said.set(step, status);
    }
  }
  return Object.fromEntries([...said].filter(([step, status]) => statusOf(plan, step) !== status));
}

function statusFor(glyph: string): StepStatus | undefined {
  const bare = glyph.replace('\uFE0F', '');
  if (glyphs.done.includes(bare)) return 'done';
  if (glyphs.failed.includes(bare)) return 'failed';
  if (glyphs.in_progress.includes(bare)) return 'in_progress';
  return glyphs.pending.includes(bare) ? 'pending' : undefined;
}
