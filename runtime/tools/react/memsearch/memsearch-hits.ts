import { withOwner } from '../../../timeline/paths.ts';
import type { Snippet, TurnRow } from '../../../timeline/ports/store.ts';
import type { CallContext } from '../../ports/tool.ts';
import { cutText } from '../../text/cut-text.ts';
import { memsearchSnippetChars, memsearchSnippetsPerTurn } from './limits.ts';
import type { MemoryQuery } from './memsearch-input.ts';

/** One matching turn. Paths of another conversation include its id. */
export type Hit = {
  readonly conversation: string;
  readonly turn: string;
  readonly turn_index_path: string;
  /** When the turn began. Absent in a search by query: its snippets have times of their own. */
  readonly at?: string;
  /** Only for searches by query. */
  readonly score?: number;
  readonly ordinal: number;
  readonly total_turns: number;
  readonly snippets: readonly HitSnippet[];
};
type HitSnippet = {
  readonly path: string;
  readonly role: string;
  readonly at: string;
  readonly text: string;
};

/** In the order of the snippets, best first. Snippets of one turn form one hit, and equal texts are shown once. */
export function fromSnippets(snippets: readonly Snippet[], context: CallContext): readonly Hit[] {
  const hits = new Map<string, Hit & { readonly snippets: HitSnippet[] }>();
  const seen = new Set<string>();
  for (const snippet of snippets) {
    const words = snippet.text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
    if (seen.has(words)) continue;
    seen.add(words);
    const owner = ownerOf(snippet.conversation, context);
    const id = `${owner}${snippet.turn}`;
    const hit = hits.get(id) ?? {
      ...placeOf(snippet, owner),
      score: roundScore(snippet.score),
      snippets: [],
    };
    hits.set(id, hit);
    if (hit.snippets.length < memsearchSnippetsPerTurn)
      hit.snippets.push(toHitSnippet(snippet, owner));
  }
  return [...hits.values()];
}

export function fromTurns(rows: readonly TurnRow[], context: CallContext): readonly Hit[] {
  return rows.map((row) => {
    const owner = ownerOf(row.conversation, context);
    const snippets = row.snippets.slice(0, memsearchSnippetsPerTurn);
    return {
      ...placeOf(row, owner),
      at: row.at,
      snippets: snippets.map((snippet) => toHitSnippet(snippet, owner)),
    };
  });
}

function ownerOf(conversation: string, { conversation: here }: CallContext): string {
  return conversation === here ? '' : `${conversation}.`;
}

type SnippetPlace = Pick<Snippet, 'conversation' | 'turn' | 'ordinal' | 'turns'>;

function placeOf({ conversation, turn, ordinal, turns }: SnippetPlace, owner: string) {
  const turn_index_path = `ar:${owner}${turn}.react.turn.index`;
  return {
    conversation,
    turn: `${owner}${turn}`,
    turn_index_path,
    ordinal,
    total_turns: turns,
  };
}

function toHitSnippet(
  { path, target: role, at, text }: Pick<Snippet, 'path' | 'target' | 'at' | 'text'>,
  owner: string,
): HitSnippet {
  return {
    path: path.replace(':', `:${owner}`),
    role,
    at,
    text: cutText(owner === '' ? text : withOwner(text, owner.slice(0, -1)), memsearchSnippetChars),
  };
}

function roundScore(score: number): number {
  return Number(score.toPrecision(4));
}

type QueryWithTotal = MemoryQuery & {
  readonly total: number | undefined;
  /** What the model has not tried yet, such as other targets. */
  readonly untried: readonly string[];
};

export function hitsText(hits: readonly Hit[], asked: QueryWithTotal): string {
  const notes = asked.warnings.map((warning) => `Note: ${warning}`);
  const found = hits.length === 0 ? [emptyText[asked.mode](asked)] : hits.map(hitText);
  return [...notes, ...found].join('\n\n');
}

const emptyText: Readonly<Record<MemoryQuery['mode'], (asked: QueryWithTotal) => string>> = {
  hybrid: ({ untried }) => `Nothing found. Try ${orList(['other words', ...untried])}.`,
  timeline: () => 'Nothing was said before this turn.',
  ordinal: ({ ordinal, total = 0 }) =>
    `Turn ${ordinal} does not exist; ${total} ${total === 1 ? 'turn comes' : 'turns come'} before this one.`,
  temporal: ({ untried }) =>
    `Nothing was said in that time. Try ${orList(['a wider one', ...untried.filter((each) => each.startsWith('scope'))])}.`,
};

function orList(ways: readonly string[]): string {
  const last = ways.at(-1) ?? '';
  return ways.length > 1 ? `${ways.slice(0, -1).join(', ')} or ${last}` : last;
}

function hitText(hit: Hit): string {
  const { turn_index_path, ordinal, total_turns, snippets, at } = hit;
  const place = `${shown(turn_index_path, hit)} · turn ${ordinal} of ${total_turns}`;
  const head = at === undefined ? place : `${place} · ${minuteOf(at)}`;
  const rows = snippets.map(({ path, role, at: said, text }) => {
    const time = at === undefined ? ` · ${minuteOf(said)}` : '';
    return `- ${role} · ${shown(path, hit)}${time}\n  ${text.replaceAll(/\s+/g, ' ')}`;
  });
  return [head, ...rows].join('\n');
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16)}Z`;
}

/** The short form that the model uses, with the conversation in front if it is another one. */
function shown(path: string, { turn, ordinal }: Hit): string {
  const id = turn.slice(turn.indexOf('.') + 1);
  return ordinal > 0 ? path.replace(`${id}.`, `t${ordinal}.`) : path;
}
