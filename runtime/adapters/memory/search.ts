import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { ConversationKey, TurnId } from '../../timeline/ids.ts';
import type {
  MemoryRange,
  Snippet,
  SnippetQuery,
  TurnPage,
  TurnQuery,
  TurnRow,
} from '../../timeline/ports/store.ts';
import { fuse, type RankedHit, type Ranking } from '../../timeline/search/ranking.ts';
import { isRecovery, type SnippetText, toSnippet } from '../../timeline/search/snippet.ts';
import { cosine, isVector } from '../../timeline/search/vectors.ts';
import { areAlike, wordsOf } from '../../timeline/search/word-match.ts';
import { recalledPaths } from './select-rows.ts';

/** Minimum cosine similarity of a result. */
const nearnessMin = 0.2;
/** Snippets per turn on a page of turns, and characters per snippet. */
const shownSnippetsMax = 12;
const shownSnippetChars = 2_000;

type Turn = Omit<TurnRow, 'snippets'> & { readonly agent: string; readonly seq: number };
type Entry = Omit<Snippet, 'score'> &
  Pick<SnippetText, 'heading'> & { readonly id: string; readonly turnOf: Turn | undefined };
/** A log with the store's key of its conversation. */
export type KeyedLog = {
  readonly key: ConversationKey;
  /** The whole log; only blocks after `after` are found. */
  readonly blocks: readonly Block[];
  readonly after: number;
  /** The store's key of the conversation that wrote a block. */
  keyOf(seq: number): number;
};

/** The search entries of the blocks, in order of the logs. */
export function entriesOf({ blocks, after, keyOf }: KeyedLog): readonly Entry[] {
  const turns = new Map(turnsOf(blocks).map((turn) => [turn.turn, turn]));
  const recalled = recalledPaths(blocks);
  return blocks.flatMap((block) => {
    const snippet = toSnippet(block);
    if (!snippet || block.path === undefined || recalled.has(block.path)) return [];
    if (block.seq <= after) return [];
    const { conversation, turn, seq, path, at } = block;
    const turnOf = turns.get(turn);
    const { ordinal = 0, recovery = false } = turnOf ?? {};
    const place = { id: `${keyOf(seq)}.${seq}`, ordinal, turns: turns.size, recovery, turnOf };
    return [{ ...snippet, conversation, turn, seq, path, at, ...place }];
  });
}

type SearchRequest = {
  readonly query: SnippetQuery;
  readonly nowMs: number;
  vectorOf(id: string): readonly number[] | undefined;
};

/** The same rankings as in the SQL store, over all entries. */
export function searchLogs(
  logs: readonly KeyedLog[],
  { query, nowMs, vectorOf }: SearchRequest,
): readonly Snippet[] {
  const entries = logs.flatMap(entriesOf).filter((entry) => isIn(entry, query));
  const age = (entry: Entry) => nowMs - Date.parse(entry.at);
  if (query.text === undefined) {
    const newest = entries.toSorted((a, b) => b.at.localeCompare(a.at) || b.seq - a.seq);
    return newest.slice(0, query.limit).map((entry) => shown(entry, 1));
  }
  const ranked = (ranking: Ranking, score: (entry: Entry) => number): readonly RankedHit[] =>
    entries
      .map((entry) => ({ entry, score: score(entry) }))
      .filter((each) => each.score > 0)
      .sort((a, b) => b.score - a.score || age(a.entry) - age(b.entry))
      .map(({ entry }, index) => ({ ranking, place: index + 1, id: entry.id, ageMs: age(entry) }));
  const wanted = new Set(wordsOf(query.text));
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const rankings = [
    ...ranked('lexical', lexical(wanted, entries, query.text)),
    ...ranked('alike', alike(wanted, entries)),
    ...ranked('semantic', semantic(query, vectorOf)),
  ];
  return fuse(rankings, query.weights)
    .slice(0, query.limit)
    .flatMap(({ id, score }) => {
      const entry = known.get(id);
      return entry ? [shown(entry, score)] : [];
    });
}

function lexical(wanted: ReadonlySet<string>, entries: readonly Entry[], text: string) {
  const texts = new Map(entries.map((entry) => [entry.id, bagOf(entry)]));
  const rarity = new Map(
    [...wanted].map((word) => {
      const having = [...texts.values()].filter(({ all }) => all.has(word)).length;
      return [word, Math.log(1 + entries.length / Math.max(1, having))];
    }),
  );
  const phrase = ` ${wordsOf(text).join(' ')} `;
  return ({ id }: Entry) => {
    const bag = texts.get(id);
    if (!bag) return 0;
    const weight = (word: string) => (bag.heading.has(word) ? 1 : bag.all.has(word) ? 0.4 : 0);
    const sum = [...wanted].reduce(
      (score, word) => score + weight(word) * (rarity.get(word) ?? 0),
      0,
    );
    return wanted.size > 1 && bag.line.includes(phrase) ? sum + 1 : sum;
  };
}

function alike(wanted: ReadonlySet<string>, entries: readonly Entry[]) {
  const vocabulary = new Set(entries.flatMap((entry) => [...bagOf(entry).all]));
  const near = [...vocabulary].filter(
    (word) => !wanted.has(word) && [...wanted].some((each) => areAlike(each, word)),
  );
  return (entry: Entry) => {
    const { all } = bagOf(entry);
    return near.filter((word) => all.has(word)).length;
  };
}

function semantic({ vector }: SnippetQuery, vectorOf: SearchRequest['vectorOf']) {
  return ({ id }: Entry) => {
    const kept = vector && vectorOf(id);
    if (!vector || !kept || !isVector(vector.values, kept.length)) return 0;
    const near = cosine(kept, vector.values);
    return near >= nearnessMin ? near : 0;
  };
}

function bagOf({ heading, text }: Entry) {
  const [about, said] = [wordsOf(heading), wordsOf(text)];
  return {
    heading: new Set(about),
    all: new Set([...about, ...said]),
    line: ` ${said.join(' ')} `,
  };
}

/** Turns of all logs in order, each with its snippets. */
export function listTurns(logs: readonly KeyedLog[], query: TurnQuery): TurnPage {
  const dir = query.order === 'asc' ? 1 : -1;
  const isWanted = ({ at, turn, agent }: Turn) =>
    isWithin({ at, turn, agent }, query) && (query.only?.includes(turn) ?? true);
  const all = logs
    .flatMap(({ key, blocks, after }) => turnsOf(blocks).map((turn) => ({ key, turn, after })))
    .filter(({ turn, after }) => turn.seq > after && isWanted(turn))
    .sort(
      (a, b) =>
        dir *
        (a.turn.at.localeCompare(b.turn.at) || a.key - b.key || a.turn.ordinal - b.turn.ordinal),
    );
  const entries = logs.flatMap(entriesOf).filter(({ target }) => query.targets.includes(target));
  const rows = all
    .slice(query.offset, query.offset + query.limit)
    .map(({ turn: { agent: _, seq: __, ...turn } }) => ({
      ...turn,
      snippets: entries
        .filter((entry) => entry.conversation === turn.conversation && entry.turn === turn.turn)
        .slice(0, shownSnippetsMax)
        .map(({ path, target, at, text }) => ({
          path,
          target,
          at,
          text: text.slice(0, shownSnippetChars),
        })),
    }));
  return { total: all.length, rows };
}

function turnsOf(blocks: readonly Block[]): readonly Turn[] {
  const opened = blocks.filter(({ type }) => type === 'turn.open');
  return opened.map(({ conversation, turn, seq, at, data }, index) => {
    const asked = blocks.filter((block) => block.type === 'react.tool.call' && block.turn === turn);
    const recovery = isRecovery(asked.map((call) => textAt(call.data, 'tool')));
    const agent = `${textAt(data, 'bundle')}/${textAt(data, 'agent')}`;
    return {
      conversation,
      turn,
      seq,
      at,
      ordinal: index + 1,
      turns: opened.length,
      recovery,
      agent,
    };
  });
}

function textAt(data: Block['data'], key: string): string {
  const value = isJsonObject(data) ? data[key] : undefined;
  return typeof value === 'string' ? value : '';
}

function isIn({ at, turn, turnOf, target }: Entry, query: SnippetQuery): boolean {
  return query.targets.includes(target) && isWithin({ at, turn, agent: turnOf?.agent }, query);
}

function isWithin(
  { at, turn, agent }: { at: string; turn: TurnId; agent: string | undefined },
  range: MemoryRange,
): boolean {
  const ms = Date.parse(at);
  if (range.from !== undefined && ms < Date.parse(range.from)) return false;
  if (range.to !== undefined && ms >= Date.parse(range.to)) return false;
  return turn !== range.except && (range.agent === undefined || range.agent === agent);
}

function shown({ id: _, heading: __, turnOf: ___, ...snippet }: Entry, score: number): Snippet {
  return { ...snippet, score };
}
