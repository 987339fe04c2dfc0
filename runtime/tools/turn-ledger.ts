import type { SourceRow, View } from '../timeline/view.ts';
import { cutText } from './cut.ts';
import { sourceTextCharsMax } from './limits.ts';

type NewSource = { readonly url: string; readonly title: string; readonly text?: string };
type Added = {
  /** One row for each source given, in order. */
  readonly cited: readonly SourceRow[];
  /** Rows that are new or know more than before, each once. */
  readonly changed: readonly SourceRow[];
};

/** Numbers that calls running side by side in one turn must not give out twice. */
export interface TurnLedger {
  /** The same URL is the same sid; `pool` is what the log already holds. */
  addSources(pool: readonly SourceRow[], rows: readonly NewSource[]): Added;
  /** The next `react.note` of the turn, from 1. */
  nextNote(): number;
}

export function createTurnLedger(view: View, turn: string): TurnLedger {
  const given = new Map<string, SourceRow>();
  let notes = notesOf(view, turn);
  return {
    addSources: (pool, rows) => {
      for (const row of pool) remember(given, row);
      const changed = new Map<number, SourceRow>();
      const cited = rows.map((row) => {
        const { known, now } = place(given, row);
        if (now !== known) changed.set(now.sid, now);
        return now;
      });
      return { cited, changed: [...changed.values()] };
    },
    nextNote: () => {
      notes += 1;
      return notes;
    },
  };
}

function remember(given: Map<string, SourceRow>, row: SourceRow): void {
  const key = sourceKey(row.url);
  if (!given.has(key)) given.set(key, row);
}

function place(given: Map<string, SourceRow>, { url, title, text }: NewSource) {
  const key = sourceKey(url);
  const known = given.get(key);
  const sid = known?.sid ?? Math.max(0, ...[...given.values()].map((row) => row.sid)) + 1;
  const clean = text === undefined ? undefined : cutText(text.toWellFormed(), sourceTextCharsMax);
  const body = clean ?? known?.text;
  const learned = known === undefined || (clean !== undefined && clean !== known.text);
  const now = learned
    ? { sid, title: title.toWellFormed(), url, ...(body === undefined ? {} : { text: body }) }
    : known;
  given.set(key, now);
  return { known, now };
}

/** Two spellings of one address are one source. */
function sourceKey(url: string): string {
  if (!URL.canParse(url)) return url.trim();
  const parsed = new URL(url);
  parsed.hash = '';
  for (const name of [...parsed.searchParams.keys()]) {
    if (/^(utm_\w+|gclid|fbclid)$/.test(name)) parsed.searchParams.delete(name);
  }
  parsed.searchParams.sort();
  return parsed.href.replace(/\/$/, '');
}

function notesOf(view: View, turn: string): number {
  const blocks = view.turns.findLast(({ id }) => id === turn)?.blocks ?? [];
  const numbers = blocks
    .filter(({ type }) => type === 'react.note')
    .map(({ path }) => Number(/\.react\.note\.(\d+)$/.exec(path ?? '')?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
