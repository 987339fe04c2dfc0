import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFault } from '../../../runtime/base/fault.ts';
import {
  encodeMessage,
  FrameDecoder,
  headerBytes,
  writeLength,
} from '../../../supervisor/protocol/frame.ts';
import { frameBytesMax, textCharsMin, textsMax } from '../../../supervisor/protocol/limits.ts';
import { extractTexts } from '../../../supervisor/protocol/texts.ts';

// proves: exec.frames

const large = 'x'.repeat(textCharsMin);

/** Texts around the size from which they travel by themselves, of every kind of character, halves of one too. */
const text = fc
  .tuple(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('x', 'é', '中', '😀', '\uD83D', '\n', '\uFEFF'),
    fc.nat(3),
  )
  .map(([begin, unit, times]) => begin + unit.repeat(times * 1_000));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
  ),
}));

test('any message arrives as if it were sent as JSON, whatever the chunks', () => {
  fc.assert(
    fc.property(
      fc.dictionary(name(), value),
      fc.integer({ min: 1, max: 5_000 }),
      (message, cut) => {
        const bytes = writeLength(encodeMessage(message), frameBytesMax);
        const decoder = new FrameDecoder();
        const seen: unknown[] = [];
        for (let at = 0; at < bytes.length; at += cut)
          seen.push(...decoder.push(bytes.subarray(at, at + cut)));
        const sent: unknown = JSON.parse(JSON.stringify(message));
        expect(seen).toEqual([sent]);
        expect(Object.hasOwn(Object(seen[0]), 'texts')).toBe(false);
      },
    ),
  );
});

test('a large text is not encoded as JSON, and the sent message is unchanged', () => {
  const message = { type: 'x', input: { rows: [{ text: large }], text: large } };
  const before = structuredClone(message);
  const frame = encodeMessage(message);
  const line = frame.subarray(headerBytes, frame.indexOf(0x0a)).toString();
  expect(JSON.parse(line)).toEqual({
    type: 'x',
    input: { rows: [{ text: '' }], text: '' },
    texts: [
      [['input', 'rows', 0, 'text'], textCharsMin],
      [['input', 'text'], textCharsMin],
    ],
  });
  expect(message).toEqual(before);
});

test('an object with toJSON is written by toJSON', () => {
  const dated = { toJSON: () => ({ day: large }), text: large };
  expect(extractTexts({ dated }).texts).toEqual([]);
});

test('texts beyond the maximum stay in the message', () => {
  const message = { all: Array.from({ length: textsMax + 1 }, () => large) };
  expect(extractTexts(message).texts).toHaveLength(textsMax);
  expect([...new FrameDecoder().push(writeLength(encodeMessage(message), frameBytesMax))]).toEqual([
    message,
  ]);
});

test.each<[string, object, string]>([
  ['fewer bytes than listed', { text: '', texts: [[['text'], 3]] }, 'ab'],
  ['more bytes than listed', { text: '', texts: [[['text'], 1]] }, 'ab'],
  ['bytes that are not listed', { text: '' }, 'ab'],
  ['no list', { text: '', texts: { text: 2 } }, 'ab'],
  [
    'a negative length',
    {
      text: '',
      a: '',
      texts: [
        [['text'], 3],
        [['a'], -1],
      ],
    },
    'ab',
  ],
  ['a length that is not an integer', { text: '', texts: [[['text'], 1.5]] }, 'ab'],
  ['a length beyond all numbers', { text: '', texts: [[['text'], 2 ** 60]] }, 'ab'],
  ['no place', { text: '', texts: [[[], 2]] }, 'ab'],
  ['a place that is not there', { text: '', texts: [[['other'], 2]] }, 'ab'],
  ['a place in a text', { text: '', texts: [[['text', 'length'], 2]] }, 'ab'],
  ['a place that is taken', { text: 'here', texts: [[['text'], 2]] }, 'ab'],
  ['a place of every object', { text: '', texts: [[['constructor', 'name'], 2]] }, 'ab'],
  [
    'the place all objects are made of',
    { text: '', texts: [[['__proto__', 'polluted'], 2]] },
    'ab',
  ],
  [
    'a place within the telling',
    {
      texts: [
        [['texts', 0, 0], 2],
        ['', 0],
      ],
    },
    'ab',
  ],
  [
    'one place twice',
    {
      text: '',
      texts: [
        [['text'], 1],
        [['text'], 1],
      ],
    },
    'ab',
  ],
  ['the end of a list', { all: [''], texts: [[['all', 1], 2]] }, 'ab'],
  [
    'more texts than there may be',
    { text: '', texts: Array(textsMax + 1).fill([['text'], 0]) },
    '',
  ],
  [
    'half a character',
    {
      text: '',
      a: '',
      texts: [
        [['text'], 1],
        [['a'], 1],
      ],
    },
    'é',
  ],
])('texts that do not match their list violate the protocol: %s', (_, line, bytes) => {
  expect(outcome(line, Buffer.from(bytes))).toBe('EXEC_PROTOCOL');
});

test('bytes that are not UTF-8 violate the protocol, and a valid text does not', () => {
  const line = { text: '', texts: [[['text'], 2]] };
  expect(outcome(line, Buffer.from([0xff, 0xfe]))).toBe('EXEC_PROTOCOL');
  expect(outcome(line, Buffer.from('ab'))).toEqual([{ text: 'ab' }]);
});

function name() {
  return fc.string({ minLength: 1 }).filter((each) => each !== 'texts' && each !== '__proto__');
}

function outcome(line: object, bytes: Uint8Array): unknown {
  const body = Buffer.concat([Buffer.from(`0000${JSON.stringify(line)}\n`), bytes]);
  try {
    return [...new FrameDecoder().push(writeLength(body, frameBytesMax))];
  } catch (error) {
    if (isFault(error)) return error.code;
    throw error;
  }
}
