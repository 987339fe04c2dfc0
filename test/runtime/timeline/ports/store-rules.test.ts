import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { toCallId, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import {
  checkNames,
  fromBody,
  toBody,
  toColumn,
} from '../../../../runtime/timeline/ports/store-rules.ts';

const place = {
  conversation: 'conv_1',
  seq: toSeq(1),
  turn: toTurnId('t'),
  at: '2026-01-01T00:00:00.000Z',
};
const text = fc.string({ unit: 'binary' });

test('a body is restored exactly, for any text', () => {
  const drafts = fc.record(
    {
      type: fc.constant('canvas'),
      turn: fc.constant(toTurnId('t')),
      author: fc.constantFrom('user', 'agent', 'tool', 'system', 'world'),
      event: text,
      mime: text,
      text,
      data: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
      blob: fc.record({ hash: text, size: fc.nat() }),
    },
    { requiredKeys: ['type', 'turn', 'author'] },
  );
  fc.assert(
    fc.property(drafts, (draft: Draft) => {
      const block = fromBody({ ...place, type: 'canvas' }, toBody(draft));
      expect(block).toEqual({ ...draft, ...place, meta: {} });
    }),
  );
});

test.each(['', '{', 'null', '{"author":"nobody","meta":{}}', '{"author":"user"}'])(
  'a body that reads %j is a fault that names the block, not its words',
  (body) => {
    const broken = {
      code: 'STORED_INVALID',
      detail: { conversation: 'conv_1', seq: 1, type: 'x' },
    };
    expect(() => fromBody({ ...place, type: 'x' }, body)).toThrow(expect.objectContaining(broken));
  },
);

test('names with NUL or a lone surrogate are a defect', () => {
  const draft: Draft = { type: 'canvas', turn: toTurnId('t'), author: 'agent' };
  checkNames([
    { ...draft, path: toBlockPath('ar:t.canvas.na\u00efve 👍'), call: toCallId('tc_1') },
  ]);
  for (const path of ['a\0', '\udc00']) {
    expect(() => checkNames([{ ...draft, path: toBlockPath(path) }])).toThrow('well-formed names');
  }
});

test('text for a column is well-formed and without NUL', () => {
  fc.assert(
    fc.property(text, (value) => {
      const column = toColumn(value);
      expect(column.isWellFormed() && !column.includes('\0')).toBe(true);
    }),
  );
  expect(toColumn('a\0b👍')).toBe('ab👍');
});
