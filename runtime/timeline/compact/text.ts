import { keptHintChars, pastPlansShown, plansShownMax } from '../limits.ts';
import { paths } from '../paths.ts';
import { isOpen, statusOf } from '../plan-text.ts';
import { brief, item, quote } from '../render/text.ts';
import type { Kept, KeptRow, PlanSnapshot } from '../view.ts';
import { isPinned, rowText } from './fit.ts';

type Told = { readonly path: string; readonly plans: readonly KeptRow[] };

/** What stands for the turns that were taken away. The same lists give the same bytes. */
export function memoryText(kept: Kept, { path, plans }: Told): string {
  const span = `${kept.since.slice(0, 16)} to ${kept.until.slice(0, 16)}`;
  const pinned = kept.notes.flatMap(({ text }) => text.split('\n').filter(isPinned));
  const body = [
    `(Turns that are no longer shown. All of them can still be read: the paths below, ar:<turn>.user.prompt, ar:<turn>.assistant.completion, ar:<turn>.react.turn.index for everything in a turn; ${path} is this memory with more rows, and names the memories before it. Without a path: react.memsearch.)`,
    quote(kept.summary),
    list(
      'INTERNAL MEMORY DIGEST',
      pinned.map((line) => line.trim()),
    ),
    list('NOTES TO SELF', kept.notes.filter(isMoreThanPins).map(rowText)),
    list('WHAT THE USER SENT IN MID-TURN', kept.events.map(rowText)),
    list('TURNS', kept.turns.map(rowText)),
    list('PLANS', plans.map(rowText)),
    list('FILES', kept.files.map(rowText)),
    list('RESULTS', kept.results.map(rowText)),
    list('EARLIER MEMORIES', kept.earlier.map(rowText)),
  ];
  const text = body.filter((part) => part !== '').join('\n\n');
  const label = 'COMPACTED PRIOR CONVERSATION MEMORY';
  const turns = kept.count === 1 ? '1 turn' : `${kept.count} turns`;
  return `${item(label, [path, turns, span], text)}[END OF COMPACTED MEMORY]\n\n`;
}

function isMoreThanPins({ text }: KeptRow): boolean {
  return text.split('\n').some((line) => line.trim() !== '' && !isPinned(line));
}

function list(heading: string, rows: readonly string[]): string {
  return rows.length === 0 ? '' : [`${heading}:`, ...rows.map((row) => `- ${row}`)].join('\n');
}

/** Open ones, and the newest of those that came to an end; one that was replaced is told by the one that replaced it. */
export function plansToName(plans: readonly PlanSnapshot[]): readonly PlanSnapshot[] {
  const past = plans
    .filter((plan) => !isOpen(plan) && plan.superseded_ts === undefined)
    .slice(-pastPlansShown);
  return plans.filter((plan) => isOpen(plan) || past.includes(plan));
}

/** The open ones are on the board at the end of the prompt, as far as it has room. */
export function planRows(plans: readonly PlanSnapshot[]): readonly KeptRow[] {
  const shown = new Set(plans.filter(isOpen).slice(-plansShownMax));
  return plans
    .filter((plan) => !shown.has(plan))
    .map((plan) => {
      const done = plan.steps.filter((_, index) => statusOf(plan, index + 1) === 'done').length;
      const state =
        plan.closed_ts !== undefined
          ? 'closed'
          : plan.superseded_ts !== undefined
            ? 'replaced'
            : isOpen(plan)
              ? 'open'
              : 'complete';
      const first = brief(plan.steps[0] ?? '', keptHintChars / 2);
      const text = `${state}, ${done} of ${plan.steps.length} done: ${first}…`;
      return { ref: paths.planLatest(plan.plan_id), text };
    });
}
