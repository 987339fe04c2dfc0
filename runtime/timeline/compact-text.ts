import { type Rows, rowKinds } from './compact-rows.ts';
import { keptEventsWhole, keptHintChars, keptNotesMax, plansShownMax } from './limits.ts';
import { paths } from './paths.ts';
import { isOpen, statusOf } from './plan-text.ts';
import { brief, item, quote } from './render-text.ts';
import { countTokens } from './tokens.ts';
import type { Kept, KeptRow, PlanSnapshot } from './view.ts';

type Told = { readonly path: string; readonly plans: readonly PlanSnapshot[] };

/** What stands for the turns that were taken away. The same lists give the same bytes. */
export function memoryText(kept: Kept, { path, plans }: Told): string {
  const span = `${kept.since.slice(0, 16)} to ${kept.until.slice(0, 16)}`;
  const pinned = kept.notes.flatMap(({ text }) => text.split('\n').filter(isPinned));
  const body = [
    `(Turns that are no longer shown. All of them can still be read: the paths below, ar:<turn>.user.prompt, ar:<turn>.assistant.completion, ar:<turn>.react.turn.index for everything in a turn; ${path} is this memory with more rows than are shown. Without a path: react.memsearch.)`,
    quote(kept.summary),
    list(
      'INTERNAL MEMORY DIGEST',
      pinned.map((line) => line.trim()),
    ),
    list('NOTES TO SELF', kept.notes.filter(isMoreThanPins).map(rowText)),
    list('WHAT THE USER SENT IN MID-TURN', kept.events.map(rowText)),
    list('TURNS', kept.turns.map(rowText)),
    list('PLANS', pastPlans(plans)),
    list('FILES', kept.files.map(rowText)),
    list('RESULTS', kept.results.map(rowText)),
    list('EARLIER MEMORIES', kept.earlier.map(rowText)),
  ];
  const text = body.filter((part) => part !== '').join('\n\n');
  const label = 'COMPACTED PRIOR CONVERSATION MEMORY';
  return `${item(label, [path, `${kept.count} turns`, span], text)}[END OF COMPACTED MEMORY]\n\n`;
}

/** The rows for which there is room, the newest of each kind. */
export function fitRows(rows: Rows, tokensMax: number): Rows {
  const fitted: Record<string, readonly KeptRow[]> = {};
  const ordered = { ...rows, notes: pinnedFirst(rows.notes), events: olderAsRefs(rows.events) };
  let left = tokensMax;
  for (const kind of rowKinds) {
    const fit = newestWithin(ordered[kind], Math.min(left, Math.floor(tokensMax * shares[kind])));
    fitted[kind] = fit.rows;
    left -= fit.tokens;
  }
  const { notes = [], events = [], turns = [], files = [], results = [] } = fitted;
  return { notes, events, turns, files, results };
}

/** How much of the room each kind may take at most; together they are more than all of it. */
const shares = { notes: 0.35, events: 0.25, turns: 0.5, files: 0.2, results: 0.3 } as const;

/** At most so many notes; what is pinned is the last to go. */
function pinnedFirst(notes: readonly KeptRow[]): readonly KeptRow[] {
  const pins = notes.filter(({ text }) => text.split('\n').some(isPinned)).slice(-keptNotesMax);
  const others = notes.filter((note) => !pins.includes(note));
  const free = keptNotesMax - pins.length;
  return [...(free > 0 ? others.slice(-free) : []), ...pins];
}

/** The latest events word for word; of older ones, what they were about. */
function olderAsRefs(events: readonly KeptRow[]): readonly KeptRow[] {
  const whole = events.length - keptEventsWhole;
  return events.map((row, index) =>
    index < whole ? { ...row, text: brief(row.text, keptHintChars / 2) } : row,
  );
}

function newestWithin(rows: readonly KeptRow[], tokensMax: number) {
  let tokens = 0;
  let first = rows.length;
  for (const [index, row] of [...rows.entries()].reverse()) {
    const more = countTokens(rowText(row)) + 1;
    if (tokens + more > tokensMax) break;
    tokens += more;
    first = index;
  }
  return { rows: rows.slice(first), tokens };
}

function isPinned(line: string): boolean {
  return /^\s*(?:[-*]\s+)?\[P\]/.test(line);
}

function isMoreThanPins({ text }: KeptRow): boolean {
  return text.split('\n').some((line) => line.trim() !== '' && !isPinned(line));
}

function rowText({ ref, text }: KeptRow): string {
  return `${ref} ${text.replaceAll('\n', '\n  ')}`;
}

function list(heading: string, rows: readonly string[]): string {
  return rows.length === 0 ? '' : [`${heading}:`, ...rows.map((row) => `- ${row}`)].join('\n');
}

/** The open ones are on the board at the end of the prompt, as far as it has room. */
function pastPlans(plans: readonly PlanSnapshot[]): readonly string[] {
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
      return `${paths.planLatest(plan.plan_id)} ${state}, ${done} of ${plan.steps.length} done: ${first}…`;
    });
}
