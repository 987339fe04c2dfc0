import type { JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { TurnRow } from '../../timeline/ports/store.ts';
import type { Reaction } from '../../timeline/view.ts';
import { type Said, step } from './envelope-body.ts';
import { withoutUndefined } from './wire-json.ts';

/** One word of feedback, as clients read it. `reaction` null: what was said before is taken back. */
export type Word = {
  readonly rn: string;
  readonly turn_id: string;
  readonly ts: string;
  readonly reaction: Reaction | null;
  readonly text: string;
  readonly origin: 'user' | 'machine';
  readonly confidence: number;
  readonly said_at?: string;
};
type Standing = Word & { readonly reaction: Reaction };

export function toWords(blocks: readonly Block[]): readonly Word[] {
  return blocks.flatMap((block) => {
    const data = dataOf('feedback', block);
    if (!data) return [];
    const { turn_id, reaction, origin, confidence = 1, said_at } = data;
    const { path: rn = '', at: ts, text = '' } = block;
    const word = { rn, turn_id, ts, reaction, text, origin, confidence };
    return [said_at === undefined ? word : { ...word, said_at }];
  });
}

/** The newest word under each path, unless it takes back what stood there. */
export function standingOf(words: readonly Word[]): readonly Standing[] {
  const newest = new Map(words.map((word) => [word.rn, word]));
  return [...newest.values()].flatMap((word) => {
    const { reaction } = word;
    return reaction === null ? [] : [{ ...word, reaction }];
  });
}

export function byTurn<W extends Word>(words: readonly W[]): ReadonlyMap<string, readonly W[]> {
  const turns = new Map<string, W[]>();
  for (const word of words) {
    const of = turns.get(word.turn_id);
    if (of) of.push(word);
    else turns.set(word.turn_id, [word]);
  }
  return turns;
}

export function countsOf(words: readonly Standing[]): Readonly<Record<string, number>> {
  const count = (is: (word: Standing) => boolean) => words.filter(is).length;
  return {
    total: words.length,
    user: count(({ origin }) => origin === 'user'),
    machine: count(({ origin }) => origin === 'machine'),
    ok: count(({ reaction }) => reaction === 'ok'),
    not_ok: count(({ reaction }) => reaction === 'not_ok'),
    neutral: count(({ reaction }) => reaction === 'neutral'),
  };
}

/** A turn with the words on it that count, and all that were ever said. */
export function toTurn({ turn, at, snippets }: TurnRow, words: readonly Word[]): JsonObject {
  const feedbacks = standingOf(words);
  const last = feedbacks.at(-1);
  const said = (target: string) => {
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
    user: said('user'),
    assistant: said('assistant'),
    feedbacks,
    reactions: words,
  };
}

/** What those who follow the conversation are told of a word. */
export function feedbackGiven(block: Block): readonly Said[] {
  const data = dataOf('feedback', block);
  if (!data) return [];
  const { turn_id, reaction, origin, message_id } = data;
  const { text = '', path } = block;
  const told = withoutUndefined({ turn_id, reaction, text, origin, message_id, path });
  const event = step(block.author, 'chat.feedback', 'update');
  return [{ type: 'chat.feedback', event, data: told }];
}
