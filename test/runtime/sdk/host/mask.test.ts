import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMask } from '../../../../runtime/sdk/compile/host/mask.ts';

function maskOf(...secrets: readonly string[]) {
  const mask = createMask();
  for (const secret of secrets) mask.add(secret);
  return mask;
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
const secret = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: 8 });
const chunked = fc.tuple(fc.array(letters, { maxLength: 8 }), secret);

test('a secret is masked in text, keys, JSON text and URLs', () => {
  const mask = maskOf('p"ss/word');
  expect(mask.text('it is p"ss/word!')).toBe('it is •••!');
  expect(mask.text(JSON.stringify({ key: 'p"ss/word' }))).toBe('{"key":"•••"}');
  expect(mask.text('?key=p%22ss%2Fword')).toBe('?key=•••');
  expect(mask.json({ 'p"ss/word': ['p"ss/word', 7, null] })).toEqual({ '•••': ['•••', 7, null] });
});

test('a very short secret is not masked', () => {
  expect(maskOf('abc').text('abc')).toBe('abc');
});

test('a stream masks one secret exactly as the whole text does', () => {
  fc.assert(
    fc.property(chunked, ([pieces, value]) => {
      const mask = maskOf(value);
      const stream = mask.stream();
      const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.end();
      expect(shown).toBe(mask.text(pieces.join('')));
    }),
  );
});

test('a stream lets none of several secrets through', () => {
  fc.assert(
    fc.property(chunked, secret, ([pieces, one], other) => {
      const stream = maskOf(one, other).stream();
      const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.end();
      expect(shown.includes(one) || shown.includes(other)).toBe(false);
    }),
  );
});
