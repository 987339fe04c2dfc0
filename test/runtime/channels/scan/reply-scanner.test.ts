import fc from 'fast-check';
import { expect, test } from 'vitest';
import { declaredChannels } from '../../../../runtime/channels/protocol/channel.ts';
import { readingDecisions } from '../../../../runtime/channels/readers/read-decisions.ts';
import {
  createReplyCollector,
  type ParsedReply,
} from '../../../../runtime/channels/reply/reply.ts';
import { createReplyScanner } from '../../../../runtime/channels/scan/reply-scanner.ts';
import { runs } from '../../../tools/runs.ts';

// proves: reply.any-cut

const piece = fc.oneof(
  fc.constantFrom(
    ...['<think>', '</think>', '<channel:thinking>', '</channel:thinking>', '<channel:action>'],
    ...[
      '</channel:action>',
      '{"action":"complete","final_answer":"x"}',
      '{"a":1}',
      '```',
      '```json',
    ],
    ...[
      '\n',
      '\n[TOOL CALL tc_1]',
      '\n[TOOL RESULT',
      '\n[not a label]',
      '<tool_call>',
      '{',
      '"',
      'word ',
    ],
    ...['{"action":"call_tool","tool_call":{"tool_id":"a.b"', '}}', 'long text '.repeat(30), '😀'],
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

test('any split of a reply gives the same result', () => {
  const reply = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      reply,
      fc.array(fc.nat(12), { minLength: 1 }),
      fc.boolean(),
      (whole, cuts, prose) => {
        expect(toPacket(cut(whole, cuts), prose)).toEqual(toPacket([whole], prose));
      },
    ),
    runs(1500),
  );
});

const complete = '{"action":"complete","final_answer":"Six."}';

test.each([
  ['alone', complete],
  ['in a fence', `\`\`\`json\n${complete}\n\`\`\``],
  ['behind a sentence', `Here it is:\n\n${complete}`],
  ['behind thinking', `<channel:thinking>6</channel:thinking>\n${complete}\n`],
  ['behind a think block', `<think>\n<channel:action>{"action":"exit"}\n</think>\n${complete}`],
  ['before a stray closing tag', `${complete}</channel:ReactDecisionOutV2>`],
])('a decision without tags is accepted: %s', (_, reply) => {
  const packet = toPacket([reply], false);
  expect(packet.decisions).toMatchObject([{ text: complete, as: 'bare', how: 'tag' }]);
  expect(packet.foreign).toBeUndefined();
});

test('a decision channel makes objects without tags plain text', () => {
  const packet = toPacket([`<channel:action>${complete}</channel:action>\n${complete}`], false);
  expect(packet.decisions).toHaveLength(1);
  expect(packet.outsideText).toBe(complete);
});

test.each([
  ['[TOOL CALL tc_1] react.read\n{"paths":[]}', 'log'],
  ['Looking.\n[TOOL RESULT tc_1] ok', 'log'],
  ['<tool_call>\n{"name":"react.read","arguments":{}}\n</tool_call>', 'tool_call'],
  ['{"name":"react.read","arguments":{"paths":[]}}', 'tool_call'],
  ['```tool_code\nread()\n```', 'tool_call'],
])('%j is foreign to a reply', (reply, what) => {
  const packet = toPacket([reply], true);
  expect(packet.foreign).toMatchObject({ what });
  expect(packet.decisions).toEqual([]);
});

test('plain text is the answer if prose is allowed, up to foreign text', () => {
  const long = `${'A long answer. '.repeat(20)}\n\nIts end.`;
  expect(proseOf(long)).toEqual([{ action: 'complete', final_answer: long }]);
  expect(proseOf(`"Quoted"\\ 😀\n- a\n- b\n`)).toMatchObject([
    { final_answer: '"Quoted"\\ 😀\n- a\n- b' },
  ]);
  expect(proseOf(`${long}\n[TOOL RESULT tc_1] ok\nmore`)).toMatchObject([{ final_answer: long }]);
  expect(proseOf('Short.\n[TOOL CALL tc_1]')).toEqual([]);
});

test('a short preamble before channels is not an answer', () => {
  const packet = toPacket([`I will look.\n<channel:action>${complete}</channel:action>`], true);
  expect(packet.decisions).toMatchObject([{ text: complete, instance: 0 }]);
  expect(packet.outsideText).toBe('I will look.');
});

test('text outside all channels is kept from its first character on, however much white space precedes it', () => {
  const blank = '\n'.repeat(20_000);
  expect(toPacket([`${blank}I will look.\n`], false).outsideText).toBe('I will look.');
});

function proseOf(reply: string): unknown[] {
  return toPacket([reply], true).decisions.map(({ text }) => JSON.parse(text));
}

function toPacket(pieces: readonly string[], prose: boolean): ParsedReply {
  const scanner = createReplyScanner({ channels: declaredChannels, prose });
  const collector = createReplyCollector();
  const read = readingDecisions();
  for (const each of pieces) collector.push(read(scanner.push(each)));
  collector.push(read(scanner.end()));
  return collector.reply();
}

function cut(whole: string, cuts: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0, i = 0; at < whole.length; i += 1) {
    const next = at + 1 + (cuts[i % cuts.length] ?? 0);
    pieces.push(whole.slice(at, next));
    at = next;
  }
  return pieces;
}
