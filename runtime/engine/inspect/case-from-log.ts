import { basename } from 'node:path';
import { isJsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';

/** The messages of a conversation up to a turn, as a case that can be run again. Attachments are those of the first message. */
export type CaseFromLog = {
  readonly turn: string;
  /** The content of a case file. */
  readonly content: object;
  readonly attachments: readonly Attached[];
};

/** `turn` absent: the turn that was rated last. Throws Refusal `not_found` if there is none, or if it is not in the log. */
export function caseFromLog(blocks: readonly Block[], turn: string | undefined): CaseFromLog {
  const rating = ratingOf(blocks, turn);
  const last = rating?.turn ?? turn;
  if (last === undefined) {
    throw new Refusal('not_found', 'no turn of the conversation is rated; name one with --turn');
  }
  const turns = turnsUpTo(blocks, last);
  const attachments = attachmentsOf(blocks, turns[0]);
  return { turn: last, content: contentOf(blocks, { turns, rating, attachments }), attachments };
}

type Rating = { readonly turn: string; readonly reaction: string; readonly text: string };

function ratingOf(blocks: readonly Block[], turn: string | undefined): Rating | undefined {
  for (const block of blocks.toReversed()) {
    const data = block.type === 'feedback' ? dataOf('feedback', block) : undefined;
    if (data?.reaction && (turn === undefined || data.turn_id === turn)) {
      return { turn: data.turn_id, reaction: data.reaction, text: block.text ?? '' };
    }
  }
  return undefined;
}

/** Throws Refusal `not_found` if the turn is not in the log. */
function turnsUpTo(blocks: readonly Block[], last: string): readonly Block[] {
  const opened = blocks.filter(({ type }) => type === 'turn.open');
  const end = opened.findIndex(({ turn }) => turn === last);
  if (end < 0) throw new Refusal('not_found', `the conversation has no turn ${last}`);
  return opened.slice(0, end + 1);
}

type Attached = { readonly filename: string; readonly hash: string };

function attachmentsOf(blocks: readonly Block[], first: Block | undefined): readonly Attached[] {
  return blocks.flatMap(({ type, turn, data, blob }) => {
    if (type !== 'user.attachment' || turn !== first?.turn || !blob) return [];
    const name = isJsonObject(data) ? data['filename'] : undefined;
    return typeof name === 'string' ? [{ filename: basename(name), hash: blob.hash }] : [];
  });
}

type Material = {
  readonly turns: readonly Block[];
  readonly rating: Rating | undefined;
  readonly attachments: readonly Attached[];
};

function contentOf(blocks: readonly Block[], { turns, rating, attachments }: Material) {
  const [first] = turns;
  const last = turns.at(-1);
  const { bundle, agent } = (first && dataOf('turn.open', first)) ?? {};
  const input = turns.map(({ turn }) => promptOf(blocks, turn));
  const close = blocks.find((block) => block.type === 'turn.close' && block.turn === last?.turn);
  const answer = isJsonObject(close?.data) ? close.data['text'] : undefined;
  const calls = blocks.flatMap(({ type, turn, data }) =>
    type === 'react.tool.call' && turn === last?.turn && isJsonObject(data) ? [data['tool']] : [],
  );
  return {
    ...(bundle === undefined ? {} : { agent: agent === undefined ? bundle : `${bundle}/${agent}` }),
    cases: [
      {
        name: input.at(-1)?.slice(0, 60) ?? '',
        input: input.length === 1 ? input[0] : input,
        ...(attachments.length === 0
          ? {}
          : { attachments: attachments.map(({ filename }) => filename) }),
        checks:
          rating?.reaction === 'not_ok' || calls.length === 0 ? {} : { calls: [...new Set(calls)] },
        judge: criterionOf(rating, String(answer ?? '')),
      },
    ],
  };
}

function promptOf(blocks: readonly Block[], turn: string): string {
  const own = blocks.find((block) => block.turn === turn && block.type === 'user.prompt');
  const opened = blocks.find((block) => block.turn === turn && block.type === 'turn.open');
  const reopened = isJsonObject(opened?.data) ? opened.data['text'] : undefined;
  return own?.text ?? String(reopened ?? '');
}

function criterionOf(rating: Rating | undefined, answer: string): string {
  const words = rating?.text.trim() ?? '';
  if (rating?.reaction === 'not_ok') {
    return words === ''
      ? `It does not repeat the fault of this answer, which its user refused: ${answer}`
      : `It does not have this fault, which a user found: ${words}`;
  }
  return `It says in substance the same as: ${answer}`;
}
