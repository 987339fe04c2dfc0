import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../../runtime/base/json.ts';
import type { ReadEvent } from '../../../../runtime/channels/decision/read-event.ts';
import {
  type Protocol,
  protocols,
  type ReplyPiece,
} from '../../../../runtime/channels/protocol/reply-piece.ts';
import { parsePieceLog } from '../../../../runtime/channels/readers/parse-piece-log.ts';
import { PieceLog } from '../../../../runtime/channels/readers/piece-log.ts';
import { runs } from '../../../tools/runs.ts';
import { call, eventsOf, packetOf, text } from './pieces.ts';

// proves: reply.protocol-cut, replay.piece-log

const said = fc.oneof(
  fc.constantFrom(
    ...['Plain words. ', 'long text '.repeat(30), '\n', '😀', '{', '"', '<think>', '</think>'],
    ...['<channel:thinking>', '</channel:thinking>', '<channel:action>', '</channel:action>'],
    ...['<channel:notes>n</channel:notes>', '<channel:followups>- a\n- b</channel:followups>'],
    ...['{"action":"complete","final_answer":"x"}', '<tool_call>', '\n[TOOL RESULT', '```json'],
    ...[
      '{"thinking":"t","action":"call_tool","tool_call":{"tool_id":"exec.python","params":{"code":"p',
    ],
    ...[
      '","a":1}},"canvas":{"name":"n","text":"c"}}',
      '<channel:canvas name="c">page</channel:canvas>',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const args = fc.oneof(
  fc.constantFrom(
    '{}',
    '',
    ' ',
    '{"a":1}',
    '{"code":"print(1)\\n","a":[1]}',
    '{"a":',
    '"{\\"a\\":1}"',
  ),
  fc.string({ maxLength: 6 }),
);
const name = fc.constantFrom(
  'web__search',
  'exec__python',
  'react__plan',
  'complete',
  'search',
  'x',
);

/** Pieces of one reply; calls may overlap. */
const pieces = fc
  .array(
    fc.oneof(
      said.map((each): readonly ReplyPiece[] => [text(each)]),
      fc.string({ maxLength: 6 }).map((each) => [{ kind: 'reasoning' as const, text: each }]),
      fc.tuple(name, args, fc.boolean()).map(([wire, json, whole]) => {
        const all = call(wire, json);
        return whole ? all : all.slice(0, -1);
      }),
    ),
    { maxLength: 8 },
  )
  .map((groups) =>
    groups.flatMap((group, index) =>
      group.map((piece) => ('call' in piece ? { ...piece, call: `${index % 5}` } : piece)),
    ),
  );

test.each(protocols)('any split of the pieces gives the same %s reply', (protocol) => {
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.nat(9), { minLength: 1 }),
      fc.boolean(),
      (whole, cuts, prose) => {
        const split = cut(whole, cuts);
        expect(packetOf(protocol, split, { prose })).toEqual(packetOf(protocol, whole, { prose }));
      },
    ),
    runs(700),
  );
});

// proves: channels.one-parse
test.each(protocols)(
  'the fields of a %s decision that stream live are the value that is carried out, however it is split',
  (protocol) => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(9), { minLength: 1 }), (whole, cuts) => {
        const [live, again] = [cut(whole, cuts), whole].map((each) => decisionsOf(protocol, each));
        expect(live).toEqual(again);
        for (const { value, texts } of live ?? [])
          if (value !== undefined) expect(texts).toEqual(stringsIn(value));
      }),
      runs(300),
    );
  },
);

/** What streams of each decision, and what its reader says in the end. */
function decisionsOf(protocol: Protocol, all: readonly ReplyPiece[]) {
  const events = eventsOf(protocol, all);
  return packetOf(protocol, all).decisions.map(({ instance, text: body, decision }) => ({
    body,
    value: decision.read().value,
    identity: decision.identity,
    isBroken: decision.isBroken,
    answer: decision.textOf('final_answer'),
    texts: streamed(events, instance),
  }));
}

/** An instance that was withdrawn has the number of a later one. */
function streamed(events: readonly ReadEvent[], instance: number): Record<string, string> {
  const texts: Record<string, string> = {};
  const isOpening = (event: ReadEvent) => 'decision' in event && event.instance === instance;
  const ofDecision = events.slice(events.findLastIndex(isOpening));
  for (const event of ofDecision) {
    if (event.kind !== 'text' || event.instance !== instance) continue;
    const strings = event.fields?.filter(({ kind }) => kind !== 'value') ?? [];
    for (const { field, text: part } of strings) texts[field] = (texts[field] ?? '') + part;
  }
  return texts;
}

/** The strings of a value, by the names of their fields. */
function stringsIn(value: Json, field: readonly string[] = []): Readonly<Record<string, string>> {
  if (typeof value === 'string') return { [field.join('.')]: value };
  if (typeof value !== 'object' || value === null) return {};
  const inside = Object.entries(value).map(([key, each]) => stringsIn(each, [...field, key]));
  return Object.assign({}, ...inside);
}

test('the log of the pieces does not depend on how they were split, and reads back the same', () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(9), { minLength: 1 }), (whole, cuts) => {
      const log = logOf(cut(whole, cuts));
      expect(log).toBe(logOf(whole));
      const again = parsePieceLog(log);
      expect(logOf(again)).toBe(log);
      expect(packetOf('native-tools', again)).toEqual(packetOf('native-tools', whole));
    }),
    runs(300),
  );
});

function logOf(all: readonly ReplyPiece[]): string {
  const log = new PieceLog();
  for (const piece of all) log.push(piece);
  return log.text;
}

/** Splits each text into parts of these lengths. */
function cut(all: readonly ReplyPiece[], lengths: readonly number[]): readonly ReplyPiece[] {
  let turn = 0;
  return all.flatMap((piece): readonly ReplyPiece[] => {
    if (!('text' in piece)) return [piece];
    const parts: ReplyPiece[] = [];
    for (let at = 0; at < piece.text.length; ) {
      const length = 1 + (lengths[turn++ % lengths.length] ?? 0);
      parts.push({ ...piece, text: piece.text.slice(at, at + length) });
      at += length;
    }
    return parts;
  });
}
