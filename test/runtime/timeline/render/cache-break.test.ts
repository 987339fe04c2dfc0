import { expect, test } from 'vitest';
import { dataOf, entryOf } from '../../../../runtime/timeline/catalogue/catalogue.ts';
import { cacheCauses } from '../../../../runtime/timeline/catalogue/view-schemas.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { cacheBreak, changedInputs } from '../../../../runtime/timeline/render/cache-break.ts';

// proves: i5.declared

const inputs = {
  round: 2,
  as_of: 9,
  renderer: 'r1',
  model: 'm1',
  catalogue: 'c1',
  hashes: { system: 's1', announce: 'a1', policy: 'p1' },
};
const opened = (change: object) => ({ data: { ...inputs, ...change } });

test('a break names its cause, its block and its cost, and is not rendered', () => {
  for (const cause of cacheCauses) {
    const made = cacheBreak({ turn: toTurnId('turn_1'), cause, of: 7, tokens: 1_200 });
    expect(dataOf('cache.break', made)).toEqual({ cause, of: 7, tokens: 1_200 });
  }
  expect(entryOf('cache.break')?.policy.render).toBe('none');
});

test('inputs outside the log that changed since the last round are named, except those that change in every round', () => {
  const now = (change: object) => changedInputs(opened({}), opened(change));
  expect(now({ round: 3, hashes: { system: 's1', announce: 'a2', policy: 'p2' } })).toEqual([]);
  expect(now({ model: 'm2' })).toEqual(['model']);
  expect(now({ renderer: 'r2' })).toEqual(['renderer']);
  expect(now({ renderer: 'm1', form: 'messages' })).toEqual(['form']);
  expect(now({ hashes: { system: 's2' } })).toEqual(['instruction']);
  expect(now({ catalogue: 'c2', hashes: { system: 's2' } })).toEqual(['catalogue']);
});

test('another protocol has another system text and, in message form, another form of earlier replies', () => {
  const asMessages = { renderer: 'm1', form: 'messages' };
  const before = opened(asMessages);
  expect(changedInputs(before, opened({ ...asMessages, protocol: 'json' }))).toEqual(['protocol']);
  expect(changedInputs(before, opened({ ...asMessages, protocol: 'channels' }))).toEqual([]);
  expect(changedInputs(opened({}), opened({ protocol: 'json' }))).toEqual(['protocol']);
});

test('a value that an older round did not record counts as unchanged', () => {
  expect(changedInputs(opened({ model: undefined }), opened({}))).toEqual([]);
  expect(changedInputs({ data: 'unreadable' }, opened({}))).toEqual([]);
});
