import type { JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { RatingRow } from '../../timeline/ports/overview.ts';
import type { TurnRow } from '../../timeline/ports/store.ts';
import type { Reaction } from '../../timeline/view.ts';
import { type EnvelopeBody, step } from './envelope-body.ts';
import { withoutUndefined } from './wire-json.ts';

/** One feedback entry, as clients read it. `reaction` null takes back earlier feedback. */
export type FeedbackEntry = {
  readonly rn: string;
  readonly turn_id: string;
  readonly ts: string;
  readonly reaction: Reaction | null;
  readonly text: string;
  readonly origin: 'user' | 'machine';
  readonly confidence: number;
  readonly said_at?: string;
};
type CurrentEntry = FeedbackEntry & { readonly reaction: Reaction };

export function toEntries(blocks: readonly Block[]): readonly FeedbackEntry[] {
  return blocks.flatMap((block) => {
    const data = dataOf('feedback', block);
    if (!data) return [];
    const { turn_id, reaction, origin, confidence = 1, said_at } = data;
    const { path: rn = '', at: ts, text = '' } = block;
    const entry = { rn, turn_id, ts, reaction, text, origin, confidence };
    return [said_at === undefined ? entry : { ...entry, said_at }];
  });
}

/** The newest entry of each path, unless it takes back the feedback. */
export function currentEntries(entries: readonly FeedbackEntry[]): readonly CurrentEntry[] {
  const newest = new Map(entries.map((entry) => [entry.rn, entry]));
  return [...newest.values()].flatMap((entry) => {
    const { reaction } = entry;
    return reaction === null ? [] : [{ ...entry, reaction }];
  });
}

export function groupByTurn<W extends FeedbackEntry>(
  entries: readonly W[],
): ReadonlyMap<string, readonly W[]> {
  const turns = new Map<string, W[]>();
  for (const entry of entries) {
    const of = turns.get(entry.turn_id);
    if (of) of.push(entry);
    else turns.set(entry.turn_id, [entry]);
  }
  return turns;
}

export function countEntries(entries: readonly CurrentEntry[]): Readonly<Record<string, number>> {
  const count = (is: (entry: CurrentEntry) => boolean) => entries.filter(is).length;
  return {
    total: entries.length,
    user: count(({ origin }) => origin === 'user'),
    machine: count(({ origin }) => origin === 'machine'),
    ok: count(({ reaction }) => reaction === 'ok'),
    not_ok: count(({ reaction }) => reaction === 'not_ok'),
    neutral: count(({ reaction }) => reaction === 'neutral'),
  };
}

/** A turn with its current feedback, and all entries ever made. */
export function toFeedbackTurn(
  { turn, at, snippets }: TurnRow,
  entries: readonly FeedbackEntry[],
): JsonObject {
  const feedbacks = currentEntries(entries);
  const last = feedbacks.at(-1);
  const snippetOf = (target: string) => {
    const found = snippets.filter((each) => each.target === target);
    const one = target === 'user' ? found[0] : found.at(-1);
    return one ? { text: one.text, ts: one.at, path: one.path } : null;
  };
  const log = withoutUndefined({
    count: feedbacks.length,
    last_ts: last?.ts,
    last_reaction: last?.reaction,
    last_origin: last?.origin,
    last_text: last?.text,
  });
  return {
    turn_id: turn,
    turn_log: { turn_id: turn, ts: at, feedback: log },
    user: snippetOf('user'),
    assistant: snippetOf('assistant'),
    feedbacks,
    reactions: entries,
  };
}

type Ratings = {
  readonly ok: number;
  readonly not_ok: number;
  readonly neutral: number;
  /** ok / (ok + not_ok + neutral); null without feedback. */
  readonly rate: number | null;
};
export type AgentSatisfaction = {
  readonly agent: string;
  readonly user: Ratings;
  readonly machine: Ratings;
};

/** The satisfaction with each agent: of users, and beside it what checks say. */
export function toSatisfaction(rows: readonly RatingRow[]): readonly AgentSatisfaction[] {
  const agents = [...new Set(rows.map(({ agent }) => agent))];
  return agents.map((agent) => {
    const own = rows.filter((row) => row.agent === agent);
    const of = (origin: RatingRow['origin']) => rate(own.filter((row) => row.origin === origin));
    return { agent, user: of('user'), machine: of('machine') };
  });
}

function rate(rows: readonly RatingRow[]): Ratings {
  const of = (reaction: Reaction) =>
    rows.reduce((sum, row) => sum + (row.reaction === reaction ? row.count : 0), 0);
  const [ok, not_ok, neutral] = [of('ok'), of('not_ok'), of('neutral')];
  const all = ok + not_ok + neutral;
  return { ok, not_ok, neutral, rate: all === 0 ? null : ok / all };
}

/** The envelope that subscribers receive for a feedback entry. */
export function feedbackChanged(block: Block): readonly EnvelopeBody[] {
  const data = dataOf('feedback', block);
  if (!data) return [];
  const { turn_id, reaction, origin, message_id } = data;
  const { text = '', path } = block;
  const entry = withoutUndefined({ turn_id, reaction, text, origin, message_id, path });
  const event = step(block.author, 'chat.feedback', 'update');
  return [{ type: 'chat.feedback', event, data: entry }];
}
