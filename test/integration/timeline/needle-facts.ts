import { z } from 'zod';
import type { Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import { createTool } from '../../../runtime/tools/definition/create-tool.ts';

/** Something that was said, done or decided once, long ago. `key` is what one still knows of it. */
export type Fact = {
  readonly kind: 'rule' | 'path' | 'decision' | 'number' | 'ask' | 'followup';
  readonly key: string;
  readonly value: string;
};

/** What a user says in one turn, and what the model replies, round by round. */
export type Script = {
  readonly prompt: string;
  readonly replies: readonly Reply[];
  /** Said while the first reply is held back under this name. */
  readonly followup?: { readonly hold: string; readonly text: string };
};

const syllables = ['ba', 'de', 'ki', 'lo', 'mu', 'na', 'po', 'ri', 'su', 'te', 'va', 'zo'] as const;
const filler = [
  'The ferry leaves when the tide allows it and the mate has counted heads.',
  'Nobody on the quay could say who had ordered the second crate of lamps.',
  'In the afternoon the wind turned, and the flags were taken in again.',
  'They weighed the rope twice, because the first scale had been mended.',
  'A letter came from the mainland and was put with the others unread.',
] as const;

/** A word that stands nowhere else: three syllables by number. */
export function wordOf(n: number): string {
  const at = (power: number) => syllables[Math.floor(n / 12 ** power) % 12] ?? 'xa';
  return `${at(0)}${at(1)}${at(2)}${at(0)}`;
}

export function prose(n: number, sentences: number): string {
  return Array.from({ length: sentences }, (_, at) => filler[(n + at) % filler.length]).join(' ');
}

/** Everything in a harbour's books about one thing; what is asked for stands deep inside. */
export const look = createTool({
  id: 'books.look',
  description: 'Looks something up in the books.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({ about: z.string(), value: z.string(), n: z.number() }),
  run: async ({ about, value, n }) => ({
    result: {
      ok: true,
      ret: `${prose(n, 40)} The count for ${about} is ${value}. ${prose(n + 1, 20)}`,
    },
  }),
});

export const file = createTool({
  id: 'books.file',
  description: 'Writes a report.',
  kind: 'bundle',
  traits: ['neutral'],
  input: z.object({ about: z.string(), value: z.string(), n: z.number() }),
  run: async ({ about, value, n }, { services }) => {
    const written = await services.writeFile({
      filepath: `outputs/${about}.txt`,
      mime: 'text/plain',
      bytes: new TextEncoder().encode(`${prose(n, 30)} Sealed with ${value}.`),
      description: 'A report.',
    });
    return { result: { ok: true, ret: written.path } };
  },
});

/** One turn that plants two facts, in words that do not help to find the other. */
export function plant(turn: number, facts: readonly [Fact, Fact]): Script {
  const [first, second] = facts;
  const said = facts.map((fact) => inPrompt(fact, turn)).join(' ');
  const called = facts.filter(({ kind }) => kind === 'number' || kind === 'path');
  const calls = called.map(({ kind, key: about, value }) => ({
    call: {
      tool: kind === 'number' ? look.spec.id : file.spec.id,
      input: { about, value, n: turn },
    },
  }));
  const rules = facts.filter(({ kind }) => kind === 'rule');
  const internal = rules.map(({ key, value }) => `[P] For ${key} always ${value}.`).join('\n');
  const answer = `${prose(turn, 6)} ${facts.map(inAnswer).join(' ')} ${prose(turn + 2, 6)}`;
  const followup = [first, second].find(({ kind }) => kind === 'followup');
  const hold = `turn ${turn}`;
  const last: Reply = { answer, ...(internal === '' ? {} : { internal }) };
  const more: Reply[] = followup && calls.length === 0 ? [{ answer: 'That too.' }] : [];
  const replies: Reply[] = [...calls, last, ...more];
  const [begin = last, ...rest] = replies;
  return {
    prompt: said,
    replies: followup ? [{ ...begin, thinking: 'Let me see.', hold }, ...rest] : replies,
    ...(followup
      ? { followup: { hold, text: `About ${followup.key}: use ${followup.value}.` } }
      : {}),
  };
}

function inPrompt({ kind, key, value }: Fact, turn: number): string {
  const about = `About ${key}: ${prose(turn + key.length, 5)}`;
  return kind === 'ask' ? `${about} When you have time, settle ${value} for me.` : about;
}

function inAnswer({ kind, key, value }: Fact): string {
  return kind === 'decision' ? `For ${key} it is decided: ${value}.` : `Seen to ${key}.`;
}
