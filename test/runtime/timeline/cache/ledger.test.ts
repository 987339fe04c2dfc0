import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { cacheLedger, type LedgerCall } from '../../../../runtime/timeline/cache/ledger.ts';
import {
  createAutomaticCache,
  createMarkedCache,
  type ProviderCache,
} from '../../../bench/cache/provider.ts';
import { runs } from '../../../tools/runs.ts';
import { legalLogs } from '../logs/logs.ts';
import { tellStory } from '../stories/stories.ts';
import {
  billedBy,
  declareCatalogue,
  hide,
  images,
  silentHide,
  story,
  withPauses,
} from './cache-stories.ts';

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

test('the ledger never blames a provider that keeps its entries, after any hide, prune, compaction or pause', () => {
  const pauses = fc.array(fc.constantFrom(0, 0, 0, 200_000, 400_000), {
    minLength: 1,
    maxLength: 9,
  });
  fc.assert(
    fc.property(fc.nat(), pauses, (seed, pausesMs) => {
      const log = withPauses(tellStory(seed, 12).blocks, pausesMs);
      const found = causes(cacheLedger(billedBy(createMarkedCache(), log)));
      expect(found).not.toContain('provider');
      expect(found).not.toContain('undeclared');
    }),
    {
      ...runs(2),
      examples: [
        [4, [0]],
        [29, [400_000, 0]],
      ],
    },
  );
});

test('the sums always equal the numbers of the provider', () => {
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

test('a break is attributed to the block that caused it, and an undeclared break is reported', () => {
  const change = (turn: number) => (turn === 3 ? hide(turn) : []);
  const billed = billedBy(createMarkedCache(), story({ turns: 3, change }));
  const block = billed.find(({ type }) => type === 'view.hide')?.seq;
  const charged = cacheLedger(billed)
    .at(-1)
    ?.misses.filter(({ cause }) => cause === 'hide');
  expect(new Set(charged?.map((miss) => miss.block))).toEqual(new Set([block]));
  const silent = billedBy(createMarkedCache(), story({ turns: 3, change: silentHide }));
  expect(causes(cacheLedger(silent))).toContain('undeclared');
});

test('a mark inside the part that was read creates no entry', () => {
  const late = (turn: number) => (turn === 2 ? images(turn) : []);
  const change = (turn: number) => (turn === 4 ? hide(turn, 'turn_3') : []);
  const found = causes(
    cacheLedger(billedBy(createMarkedCache(), story({ turns: 4, change, late }))),
  );
  expect(found).toContain('hide');
  expect(found).not.toContain('provider');
});

test('a pause longer than the lifetime of an entry makes earlier parts cold', () => {
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

test('another catalogue costs the whole prefix; a provider that loses an entry is blamed', () => {
  const change = (turn: number) => (turn === 3 ? declareCatalogue(turn) : []);
  const inputs = (round: number) => (round < 5 ? {} : { hashes: { system: 't' } });
  const changed = cacheLedger(billedBy(createMarkedCache(), story({ turns: 3, change }), inputs));
  expect(new Set(changed.at(-1)?.misses.map(({ cause }) => cause))).toEqual(
    new Set(['catalogue', 'new', 'tail']),
  );
  const forgetful: ProviderCache = { meter: (blocks) => createMarkedCache().meter(blocks, 0) };
  expect(causes(cacheLedger(billedBy(forgetful, story())))).toContain('provider');
});

test('tokens that no provider reported are not billed', () => {
  const log = billedBy(createMarkedCache(), tellStory(3, 4).blocks).map((block) => {
    if (block.type !== 'model.call' || !isJsonObject(block.data)) return block;
    return { ...block, data: { ...block.data, estimated: true } };
  });
  for (const { inputTokens, missedTokens } of cacheLedger(log)) {
    expect(inputTokens + missedTokens).toBe(0);
  }
});
