import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CallAssembler,
  type CallDelta,
} from '../../../../../runtime/adapters/models/providers/calls/call-assembler.ts';
import type { ReplyPiece } from '../../../../../runtime/channels/protocol/reply-piece.ts';
import { runs } from '../../../../tools/runs.ts';

const names = ['math__add', 'web__search', 'web'];

type Row = readonly [call: string, name: string, text: string, ended: boolean];

/** Calls as a reader of the pieces would build them. Fails if they are not in order. */
function callsOf(pieces: readonly ReplyPiece[]): Row[] {
  const calls: [string, string, string, boolean][] = [];
  for (const piece of pieces) {
    const last = calls.at(-1);
    if (piece.kind === 'call') {
      expect(last?.[3] ?? true).toBe(true);
      calls.push([piece.call, piece.name, '', false]);
      continue;
    }
    if (!('call' in piece) || !last) throw new Error(`${piece.kind} outside a call`);
    expect(piece.call).toBe(last[0]);
    if (piece.kind === 'arguments') last[2] += piece.text;
    else last[3] = true;
  }
  expect(new Set(calls.map(([call]) => call)).size).toBe(calls.length);
  return calls;
}

function assembled(deltas: readonly CallDelta[], how: 'complete' | 'cut' = 'complete'): Row[] {
  const assembler = new CallAssembler(names);
  return callsOf([...deltas.flatMap((delta) => assembler.push(delta)), ...assembler.finish(how)]);
}

// proves: models.call-deltas
test.each<readonly [string, readonly CallDelta[], readonly Row[]]>([
  [
    'the index says to which of two calls a delta belongs',
    [
      { index: 0, id: 'a', name: 'math__add', arguments: '' },
      { index: 0, arguments: '{"a"' },
      { index: 0, arguments: ':1}' },
      { index: 1, id: 'b', name: 'web__search', arguments: '' },
      { index: 1, arguments: '{}' },
    ],
    [
      ['a', 'math__add', '{"a":1}', true],
      ['b', 'web__search', '{}', true],
    ],
  ],
  [
    'interleaved calls come out one after the other',
    [
      { index: 0, id: 'a', name: 'math__add' },
      { index: 1, id: 'b', name: 'web__search' },
      { index: 1, arguments: '{"q":' },
      { index: 0, arguments: '{"a":1}' },
      { index: 1, arguments: '"x"}' },
    ],
    [
      ['a', 'math__add', '{"a":1}', true],
      ['b', 'web__search', '{"q":"x"}', true],
    ],
  ],
  [
    'a new id on a used index begins a new call',
    [
      { index: 0, id: 'a', name: 'math__add', arguments: '{"a":1}' },
      { index: 0, id: 'b', name: 'math__add', arguments: '{"a":2}' },
    ],
    [
      ['a', 'math__add', '{"a":1}', true],
      ['b', 'math__add', '{"a":2}', true],
    ],
  ],
  [
    'a name without id after complete arguments begins a new call, and both get an id',
    [
      { index: 0, name: 'math__add', arguments: '{"a":1}' },
      { index: 0, name: 'math__add', arguments: '{"a":2}' },
    ],
    [
      ['call_0', 'math__add', '{"a":1}', true],
      ['call_1', 'math__add', '{"a":2}', true],
    ],
  ],
  [
    'the id of an earlier call is not used again',
    [
      { index: 0, id: 'same', name: 'math__add', arguments: '{}' },
      { index: 1, id: 'same', name: 'web__search', arguments: '{}' },
    ],
    [
      ['same', 'math__add', '{}', true],
      ['same_1', 'web__search', '{}', true],
    ],
  ],
  [
    'a name in pieces is joined',
    [
      { index: 0, id: 'a', name: 'web' },
      { index: 0, id: '', name: '__sea', arguments: null },
      { index: 0, name: 'rch' },
      { index: 0, arguments: '{}' },
    ],
    [['a', 'web__search', '{}', true]],
  ],
  [
    'a name or an id that comes with every delta is read once',
    [
      { index: 0, id: 'a', name: 'web__search', arguments: '{"q"' },
      { index: 0, id: 'a', name: 'web__search', arguments: ':1}' },
      { index: 0, id: 'a', name: 'web__search', arguments: '' },
    ],
    [['a', 'web__search', '{"q":1}', true]],
  ],
  [
    'a new id with every delta of one call is not a new call',
    [
      { index: 0, id: 'a', name: 'web__search', arguments: '' },
      { index: 0, id: 'b', arguments: '{"q"' },
      { index: 0, id: 'c', arguments: ':1}' },
    ],
    [['a', 'web__search', '{"q":1}', true]],
  ],
  [
    'deltas without index continue the call that was begun last',
    [
      { id: 'a', name: 'math__add', arguments: '{"a":' },
      { arguments: '1}' },
      { id: 'b', name: 'web__search', arguments: '{}' },
    ],
    [
      ['a', 'math__add', '{"a":1}', true],
      ['b', 'web__search', '{}', true],
    ],
  ],
  [
    'a call without arguments is a call',
    [
      { index: 0, id: 'a', name: 'math__add' },
      { index: 1, id: 'b', name: 'web__search', arguments: '' },
    ],
    [
      ['a', 'math__add', '', true],
      ['b', 'web__search', '', true],
    ],
  ],
])('%s', (_name, deltas, rows) => {
  expect(assembled(deltas)).toEqual(rows);
});

test('a call that the output limit cuts off has no end, but one that is complete has', () => {
  const first = { index: 0, id: 'a', name: 'math__add', arguments: '{"a":"}' };
  expect(assembled([first], 'cut')).toEqual([['a', 'math__add', '{"a":"}', false]]);
  const whole = { index: 0, id: 'a', name: 'math__add', arguments: '{"a":"}"}' };
  const nothing = { index: 1, id: 'b', name: 'web__search', arguments: '' };
  expect(assembled([whole, nothing], 'cut')).toEqual([
    ['a', 'math__add', '{"a":"}"}', true],
    ['b', 'web__search', '', false],
  ]);
});

test('an end with incomplete arguments waits for what follows', () => {
  const assembler = new CallAssembler(names);
  const begun = assembler.push({ index: 0, id: 'a', name: 'web__search', arguments: '{"q":' });
  expect(begun.map(({ kind }) => kind)).toEqual(['call', 'arguments']);
  expect(assembler.end(0)).toEqual([]);
  expect(assembler.finish('cut')).toEqual([]);
});

test('arguments that came whole with the end are passed on', () => {
  const assembler = new CallAssembler(names);
  const pieces = [
    ...assembler.push({ index: 0, id: 'a', name: 'web__search' }),
    ...assembler.end(0, '{"q":1}'),
  ];
  expect(callsOf(pieces)).toEqual([['a', 'web__search', '{"q":1}', true]]);
});

test('calls are the same however their arguments and names are cut', () => {
  const call = fc.record({
    name: fc.constantFrom('math__add', 'web__search'),
    input: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()))),
  });
  const size = fc.integer({ min: 1, max: 9 });
  const property = fc.property(fc.array(call, { maxLength: 4 }), size, (calls, chars) => {
    const deltas = calls.flatMap(({ name, input }, index) => [
      ...pieces(name, chars).map((piece, n) => ({
        index,
        ...(n === 0 ? { id: `id${index}` } : {}),
        name: piece,
      })),
      ...pieces(JSON.stringify(input), chars).map((text) => ({ index, arguments: text })),
    ]);
    const expected = calls.map(({ name, input }, index) => [
      `id${index}`,
      name,
      JSON.stringify(input),
      true,
    ]);
    expect(assembled(deltas)).toEqual(expected);
  });
  fc.assert(property, runs(100));
});

function pieces(text: string, chars: number): string[] {
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, n) =>
    text.slice(n * chars, (n + 1) * chars),
  );
}

// proves: models.call-deltas
test.each([
  ['a wrapper that is cut off', ['{"tool_uses": [{"recipient_na'], 'cut'],
  ['a wrapper without calls', ['{"tool_uses": []}'], 'complete'],
] as const)('%s stays a call of an unknown tool', (_, deltas, how) => {
  const calls = new CallAssembler(['math__add']);
  const pieces = [
    ...calls.push({ index: 0, id: 'c', name: 'multi_tool_use.parallel' }),
    ...deltas.flatMap((text) => calls.push({ index: 0, arguments: text })),
    ...calls.finish(how),
  ];
  expect(pieces[0]).toEqual({ kind: 'call', call: 'c', name: 'multi_tool_use.parallel' });
  expect(pieces.some(({ kind }) => kind === 'call_end')).toBe(how === 'complete');
});

test('an offered tool with the name of the wrapper is called', () => {
  const calls = new CallAssembler(['parallel']);
  const pieces = [
    ...calls.push({ index: 0, id: 'c', name: 'parallel', arguments: '{"tool_uses": []}' }),
    ...calls.finish('complete'),
  ];
  expect(pieces.map(({ kind }) => kind)).toEqual(['call', 'arguments', 'call_end']);
});
