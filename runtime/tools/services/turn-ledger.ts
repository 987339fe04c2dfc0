import { isDeepStrictEqual } from 'node:util';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { TurnId } from '../../timeline/ids.ts';
import { sourcesMax } from '../../timeline/limits.ts';
import { factsOf, type SourceFacts } from '../../timeline/source-facts.ts';
import { sourceKey } from '../../timeline/source-key.ts';
import type { SourceRow, View } from '../../timeline/view.ts';
import { sourceTextCharsMax } from '../limits.ts';
import { cutText } from '../text/cut-text.ts';
import { BudgetReservations } from './budget-reservations.ts';

type NewSource = SourceFacts & {
  readonly url: string;
  readonly title: string;
  readonly text?: string;
};
type AddedSources = {
  /** One row per given source, in order, without those that did not fit into a full pool. */
  readonly cited: readonly SourceRow[];
  /** Rows that are new or have a new text, each once. */
  readonly changed: readonly SourceRow[];
  /** How many did not fit. */
  readonly refused: number;
};

/** Counters that concurrent calls of one turn share, so that no number is given out twice. */
export interface TurnLedger {
  /** The same URL gets the same sid; `pool` holds the rows already in the log. */
  addSources(pool: readonly SourceRow[], rows: readonly NewSource[]): AddedSources;
  /** How often programs of the turn have called each tool that has a limit of calls per turn. */
  readonly programCalls: Map<string, number>;
  readonly reservations: BudgetReservations;
  /** The next `react.note` of the turn, from 1. */
  nextNote(): number;
}

export function createTurnLedger(view: View, turn: TurnId): TurnLedger {
  const given = new Map<string, SourceRow>();
  let notes = notesOf(view, turn);
  return {
    programCalls: programCallsOf(view, turn),
    reservations: new BudgetReservations(),
    addSources: (pool, rows) => {
      for (const row of pool) remember(given, row);
      const changed = new Map<number, SourceRow>();
      const cited = rows.flatMap((row) => {
        const { known, now } = placeSource(given, row);
        if (now && now !== known) changed.set(now.sid, now);
        return now ?? [];
      });
      const refused = rows.length - cited.length;
      return { cited, changed: [...changed.values()], refused };
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

function placeSource(given: Map<string, SourceRow>, row: NewSource) {
  const { url, title, text } = row;
  const key = sourceKey(url);
  const known = given.get(key);
  if (!known && given.size >= sourcesMax) return { known, now: undefined };
  const sid = known?.sid ?? lastSid(given) + 1;
  const clean = text === undefined ? undefined : cutText(text.toWellFormed(), sourceTextCharsMax);
  const body = clean ?? known?.text;
  const facts = { ...(known && factsOf(known)), ...factsOf(row) };
  const isNewText = clean !== undefined && clean !== known?.text;
  const isNewFact = known !== undefined && !isDeepStrictEqual(facts, factsOf(known));
  const now =
    known === undefined || isNewText || isNewFact
      ? {
          ...{ sid, title: title.toWellFormed(), url },
          ...(body === undefined ? {} : { text: body }),
          ...facts,
        }
      : known;
  given.set(key, now);
  return { known, now };
}

function lastSid(given: ReadonlyMap<string, SourceRow>): number {
  let last = 0;
  for (const { sid } of given.values()) last = Math.max(last, sid);
  return last;
}

/** Counts from programs that ended before this process took over the turn. */
function programCallsOf(view: View, turn: TurnId): Map<string, number> {
  const counts = new Map<string, number>();
  for (const block of view.turns.findLast(({ id }) => id === turn)?.blocks ?? []) {
    const { program_calls = {} } = dataOf('react.tool.result', block) ?? {};
    for (const [tool, made] of Object.entries(program_calls)) {
      counts.set(tool, (counts.get(tool) ?? 0) + made);
    }
  }
  return counts;
}

function notesOf(view: View, turn: TurnId): number {
  const blocks = view.turns.findLast(({ id }) => id === turn)?.blocks ?? [];
  const numbers = blocks
    .filter(({ type }) => type === 'react.note')
    .map(({ path }) => Number(/\.react\.note\.(\d+)$/.exec(path ?? '')?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
