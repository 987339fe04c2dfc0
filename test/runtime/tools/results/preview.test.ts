import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPreview, toText } from '../../../../runtime/tools/results/preview.ts';
import { shapeOf } from '../../../../runtime/tools/text/json-shape.ts';

const path = 'tc:turn_1.tc_1.result';
const names = { path: (stored: string) => stored.replace('turn_1', 't1') };

test('a result within the limit is read whole', () => {
  expect(toPreview('short', { limit: 100, path })).toBe('short');
});

test('an empty result is marked as empty', () => {
  expect(toText({ ok: true, ret: '' }, names)).toBe('(no output)');
  expect(toText({ ok: true, ret: null }, names)).toBe('null');
});

// proves: paths.short-in-prompts
test('a value that is a path is shortened for the model; a path inside a text stays unchanged', () => {
  const ret = { path: 'fi:turn_1.outputs/a.csv', said: 'see fi:turn_1.outputs/a.csv', n: 1 };
  expect(toText({ ok: true, ret }, names)).toBe(
    '{"path":"fi:t1.outputs/a.csv","said":"see fi:turn_1.outputs/a.csv","n":1}',
  );
  expect(toText({ ok: true, ret: 'fi:turn_1.outputs/a.csv' }, names)).toBe(
    'fi:turn_1.outputs/a.csv',
  );
});

// proves: tools.errors-once
test('an error repeats no bad argument that its message names, and keeps one that was cut from it', () => {
  const violations = [
    { path: 'a', message: 'is required' },
    { path: 'b.c', message: 'expected number' },
  ];
  const error = { code: 'invalid_input', retryable: false, violations };
  const message = 'The input does not fit. a: is required; b.c: expected number';
  expect(toText({ ok: false, error: { ...error, message } }, names)).toBe(
    `{"ok":false,"error":{"code":"invalid_input","retryable":false,"message":"${message}"}}`,
  );
  const cut = { ...error, message: 'The input does not fit. a: is required; b.c: exp…' };
  expect(toText({ ok: false, error: cut }, names)).toContain('"message":"expected number"');
});

test('a larger result is shown as its size, shape, beginning and how to read on', () => {
  const ret = {
    rows: Array.from({ length: 5000 }, (_, id) => ({ id, name: `n${id}` })),
    total: 5000,
  };
  const preview = toPreview(JSON.stringify(ret), { limit: 2000, path, ret });
  expect(preview).toContain(
    'shape: { rows: 5,000 × { id: number, name: string(2) }, total: number }',
  );
  expect(preview).toContain('{"rows":[{"id":0');
  expect(preview).toMatch(/react\.read, paths: \["tc:turn_1\.tc_1\.result"\]/);
});

test('a preview never exceeds its limit and never ends inside a surrogate pair', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 4000 }),
      fc.integer({ min: 400, max: 3000 }),
      (text, limit) => {
        const preview = toPreview(text, { limit, path });
        return preview.length <= limit && preview.isWellFormed();
      },
    ),
  );
});

test('a shape is bounded in depth and width', () => {
  const deep = { a: { b: { c: { d: { e: 1 } } } } };
  expect(shapeOf(deep)).toBe('{ a: { b: { c: { d: {…} } } } }');
  const wide = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, index]));
  expect(shapeOf(wide)).toContain('… 2 more');
  expect(shapeOf([])).toBe('[]');
});
