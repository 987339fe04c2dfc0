import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheLedger, type LedgerCall } from '../../../../runtime/timeline/cache/ledger.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import {
  createAutomaticCache,
  createMarkedCache,
  type ProviderCache,
} from '../../../bench/cache-provider.ts';
import { runs } from '../../../tools/runs.ts';
import { legalLogs } from '../logs.ts';
import { billedBy, declare, hide, story } from './stories.ts';

// proves: ledger.sums, ledger.explained

function causes(calls: readonly LedgerCall[]): ReadonlySet<string> {
  return new Set(calls.flatMap(({ misses }) => misses.map(({ cause }) => cause)));
}

const caches = { marked: createMarkedCache, automatic: createAutomaticCache };

test.each(Object.entries(caches))(
  'every token that a provider (%s) did not read is explained, and the sums are what it reported',
  (_, create) => {
    fc.assert(
      fc.property(legalLogs, (log) => {
        const calls = cacheLedger(billedBy(create(), log));
        for (const { misses, missedTokens, readTokens, inputTokens } of calls) {
          expect(misses.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(missedTokens);
          expect(readTokens + missedTokens).toBe(inputTokens);
        }
        const found = causes(calls);
        for (const cause of ['provider', 'undeclared', 'cold']) expect(found).not.toContain(cause);
      }),
      runs(8),
    );
  },
);

test('sums are those of the provider, whatever it reports', () => {
  const counts = fc.nat(200_000);
  const usage = fc.record({
    input_tokens: counts,
    cache_read_tokens: counts,
    cache_write_tokens: counts,
  });
  fc.assert(
    fc.property(legalLogs, fc.array(usage, { minLength: 1 }), (log, all) => {
      const odd = log.map((block, index) => {
        const said = { output_tokens: 0, ...all[index % all.length] };
        return block.type === 'model.call'
          ? { ...block, data: { model: 'm', usage: said } }
          : block;
      });
      for (const { misses, missedTokens } of cacheLedger(odd)) {
        expect(misses.every(({ tokens }) => tokens >= 0 && Number.isInteger(tokens))).toBe(true);
        expect(misses.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(missedTokens);
      }
    }),
    runs(8),
  );
});

test('a break is charged to the block that made it, and one that nobody declared is told', () => {
  const change = (turn: number) => (turn === 3 ? [...hide(turn), ...declare('hide')] : []);
  const told = billedBy(createMarkedCache(), story({ turns: 3, change }));
  const block = told.find(({ type }) => type === 'view.hide')?.seq;
  const charged = cacheLedger(told)
    .at(-1)
    ?.misses.filter(({ cause }) => cause === 'hide');
  expect(new Set(charged?.map((miss) => miss.block))).toEqual(new Set([block]));
  const silent = billedBy(createMarkedCache(), story({ turns: 3, change: hide }));
  expect(causes(cacheLedger(silent))).toContain('undeclared');
});

test('an entry that a mark could not make, because more than it marks was read, is not asked of the provider', () => {
  const image = (turn: string, n: number) =>
    ({
      turn,
      type: 'user.attachment',
      author: 'user',
      path: paths.attachment(turn, `${n}.png`),
      mime: 'image/png',
      blob: { hash: `sha256:${n}`, size: 1_000 },
      data: { filename: `${n}.png`, size: 1_000 },
    }) as const;
  const late = (turn: number) =>
    turn === 2 ? Array.from({ length: 25 }, (_, n) => image('turn_2', n)) : [];
  const path = paths.prompt('turn_3');
  const data = { path, replacement: 'short', cause: 'test' };
  const hidden = { turn: 'turn_4', type: 'view.hide', author: 'agent', data } as const;
  const change = (turn: number) => (turn === 4 ? [hidden, ...declare('hide')] : []);
  const found = causes(
    cacheLedger(billedBy(createMarkedCache(), story({ turns: 4, change, late }))),
  );
  expect(found).toContain('hide');
  expect(found).not.toContain('provider');
});

test('a pause longer than an entry lives is cold, and only for what was sent before', () => {
  const late = story().map((block) => {
    const at = new Date(Date.parse(block.at) + 3_600_000).toISOString();
    return block.turn === 'turn_2' ? { ...block, at } : block;
  });
  const [, , first] = cacheLedger(billedBy(createMarkedCache(), late));
  expect(first?.readTokens).toBe(0);
  expect(new Set(first?.misses.map(({ cause }) => cause))).toEqual(
    new Set(['cold', 'new', 'tail']),
  );
  const cold = first?.misses.filter(({ cause }) => cause === 'cold') ?? [];
  expect(cold.every(({ block = 0 }) => block < (first?.seq ?? 0))).toBe(true);
});

test('another catalogue costs the whole prefix; a provider that forgets is named', () => {
  const change = (turn: number) => (turn === 3 ? declare('catalogue') : []);
  const inputs = (round: number) => (round < 5 ? {} : { hashes: { system: 't' } });
  const changed = cacheLedger(billedBy(createMarkedCache(), story({ turns: 3, change }), inputs));
  expect(new Set(changed.at(-1)?.misses.map(({ cause }) => cause))).toEqual(
    new Set(['catalogue', 'new', 'tail']),
  );
  const forgetful: ProviderCache = { meter: (blocks) => createMarkedCache().meter(blocks, 0) };
  expect(causes(cacheLedger(billedBy(forgetful, story())))).toContain('provider');
});
