import { keptHintChars } from '../limits.ts';
import { paths } from '../paths.ts';
import { boardPlans, countsText, isOpen, stateOf } from '../plans/plan-text.ts';
import { brief, indentHeadings, item, quote } from '../render/text.ts';
import type { MemoryContents, MemoryRow, PlanSnapshot } from '../view.ts';
import { isPinned, memoryPathHint, moreRow, rowText } from './fit.ts';
import type { MemoryLists } from './memory-rows.ts';

type MemoryTextOptions = {
  readonly path: string;
  readonly plans: readonly MemoryRow[];
  /** Where to find the rows that \`more\` counts; by default under the path. */
  readonly where?: string;
};

/** The text that replaces the removed turns. Equal input gives equal bytes. */
export function memoryText(
  kept: MemoryContents,
  { path, plans, where }: MemoryTextOptions,
): string {
  const rows = (kind: keyof MemoryLists, heading: ListHeading, shown: readonly MemoryRow[]) => {
    const count = kept.more?.[kind] ?? 0;
    if (count === 0) return list(heading, shown.map(rowText));
    if (shown.length === 0) return `${heading}: none shown here, ${count} in ${where ?? path}`;
    return list(heading, [...shown.map(rowText), moreRow(count, where ?? memoryPathHint)]);
  };
  const body = [
    `(Turns that are no longer shown. All of them can still be read: the paths below, ar:<turn>.user.prompt, ar:<turn>.assistant.completion, ar:<turn>.react.turn.index for everything in a turn; ${path} is this memory with more and fuller rows, and names the memories before it. Without a path: react.memsearch. What stands below this memory is newer: where they differ, that is right.)`,
    indentHeadings(quote(kept.summary), listHeading),
    list('INTERNAL MEMORY DIGEST', pinnedLines(kept.notes)),
    rows('notes', 'NOTES TO SELF', kept.notes.filter(isMoreThanPins)),
    rows('events', 'WHAT THE USER SENT IN MID-TURN', kept.events),
    rows('turns', 'TURNS', kept.turns),
    rows('plans', 'PLANS', plans),
    rows('files', filesHeading, kept.files),
    rows('skills', skillsHeading, kept.skills),
    rows('results', 'RESULTS', kept.results),
    list('EARLIER MEMORIES', kept.earlier.map(rowText)),
  ];
  const text = body.filter((part) => part !== '').join('\n\n');
  const label = 'COMPACTED PRIOR CONVERSATION MEMORY';
  return `${item(label, [path, turnsOf(kept), timesOf(kept)], text)}[END OF COMPACTED MEMORY]\n\n`;
}

/** How many turns a memory covers. */
export function turnsOf({ count }: Pick<MemoryContents, 'count'>): string {
  return count === 1 ? '1 turn' : `${count} turns`;
}

/** To the minute. One time if the turns began in the same minute. */
export function timesOf({ since, until }: Pick<MemoryContents, 'since' | 'until'>): string {
  const [from, to] = [since.slice(0, 16), until.slice(0, 16)];
  return from === to ? from : `${from} to ${to}`;
}

const filesHeading = 'FILES, with the user unless internal';
const skillsHeading = 'SKILLS AND KNOWLEDGE READ, out of sight now (react.read shows them again)';
const headings = [
  'INTERNAL MEMORY DIGEST',
  'NOTES TO SELF',
  'WHAT THE USER SENT IN MID-TURN',
  'TURNS',
  'PLANS',
  filesHeading,
  skillsHeading,
  'RESULTS',
  'EARLIER MEMORIES',
] as const;
type ListHeading = (typeof headings)[number];
/** A line of the summary that would read as one of them. */
const listHeading = new RegExp(
  `^(?:${headings.map((each) => each.split(',', 1)[0]).join('|')})\\b.*:`,
);

export function pinnedLines(notes: readonly MemoryRow[]): readonly string[] {
  return notes.flatMap(({ text }) => text.split('\n').filter(isPinned)).map((line) => line.trim());
}

function isMoreThanPins({ text }: MemoryRow): boolean {
  return text.split('\n').some((line) => line.trim() !== '' && !isPinned(line));
}

function list(heading: ListHeading, rows: readonly string[]): string {
  return rows.length === 0 ? '' : [`${heading}:`, ...rows.map((row) => `- ${row}`)].join('\n');
}

/** Rows of the open plans that do not fit into ANNOUNCE. Closed plans appear in their turns. */
export function openPlanRows(plans: readonly PlanSnapshot[]): readonly MemoryRow[] {
  return planRows(plans.filter(isOpen));
}

/** Every plan that is not in ANNOUNCE, with its state. */
export function planRows(plans: readonly PlanSnapshot[]): readonly MemoryRow[] {
  const shown = new Set(boardPlans(plans));
  return plans
    .filter((plan) => !shown.has(plan))
    .map((plan) => {
      const counts = `${stateOf(plan)}, ${countsText(plan)}`;
      const first = brief(plan.steps[0] ?? '', keptHintChars / 2);
      const text = plan.superseded_ts === undefined ? `${counts}: ${first}…` : counts;
      return { ref: paths.planLatest(plan.plan_id), text };
    });
}
