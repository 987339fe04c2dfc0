import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatAddress,
  parseAddress,
} from '../../../../../runtime/gateway/pages/studio/data/address.ts';
import {
  likelySources,
  sentencesOf,
} from '../../../../../runtime/gateway/pages/studio/data/likely-sources.ts';
import type { Prompt } from '../../../../../runtime/gateway/pages/studio/data/wire.ts';
import { diffRows } from '../../../../../runtime/gateway/pages/studio/inspector/diff-rows.ts';

function promptOf(...texts: readonly string[]): Prompt {
  const parts = texts.map((text, index) => ({
    ...({ in: 'timeline', kind: 'text', role: 'user', text, tokens: 1 } as const),
    origins: [{ from: 0, to: text.length, block: index + 1, as: 'whole' } as const],
  }));
  const place = { seq: 1, turn: 't', round: 1, phase: 'decision', as_of: 9, renderer: 'r' };
  return { ...place, tokens: 1, parts, absent: [], absent_omitted: 0 };
}

test('the passage that shares the rarest words with a sentence comes first', () => {
  const prompt = promptOf(
    'When did the bridge open?',
    'The bridge opened to trains in June 1878.',
    'The bridge is long. The bridge is old.',
  );
  const found = likelySources(prompt, 'The bridge opened in 1879, in June.');
  expect(found.map(({ origin }) => origin.block)).toEqual([2]);
  expect(likelySources(prompt, 'Nothing alike whatsoever')).toEqual([]);
});

test('a passage that shares only a short word with a sentence is not its source', () => {
  const prompt = promptOf('When was order A-1002 delivered?', 'Order A-1002 is on its way.');
  expect(likelySources(prompt, 'It was sent from Bremen.')).toEqual([]);
  const found = likelySources(prompt, 'It was delivered in Bremen.');
  expect(found.map(({ origin }) => origin.block)).toEqual([1]);
});

test('the sentences of a text, joined, are the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(
        sentencesOf(text)
          .map(({ sentence }) => sentence)
          .join(''),
      ).toBe(text);
    }),
  );
  expect(
    sentencesOf('It cost 3.5 million. Why? Nobody knows').map(({ sentence }) => sentence),
  ).toEqual(['It cost 3.5 million. ', 'Why? ', 'Nobody knows']);
});

test('an address survives being written and read', () => {
  const number = fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined });
  const text = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
  const address = fc.record({
    page: fc.constantFrom('conv_a', 'usage', ''),
    at: number,
    turn: text,
    tab: fc.constantFrom('prompt', 'blocks', 'diff'),
    block: number,
    find: text,
    with: number,
    other: text,
    type: text,
    q: text,
    by: text,
  });
  fc.assert(
    fc.property(address, (one) => {
      expect(parseAddress(formatAddress(one))).toEqual(one);
    }),
  );
});

test('a diff leaves out long equal stretches, and says where the first difference is', () => {
  const equal = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('');
  const rows = diffRows([
    { value: equal },
    { value: 'old\n', removed: true },
    { value: 'new\n', added: true },
  ]);
  expect(rows.map(({ kind }) => kind)).toEqual(['same', 'skipped', 'same', 'removed', 'added']);
  expect(rows[1]?.text).toBe('… 34 equal lines\n');
  expect(rows[3]?.from).toBe(equal.length);
});
