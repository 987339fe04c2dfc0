import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../runtime/base/json.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { cacheLedger, type LedgerCall } from '../../../runtime/timeline/cache-ledger.ts';
import { toRequest } from '../../../runtime/timeline/cache-request.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold.ts';
import {
  createAutomaticCache,
  createMarkedCache,
  type ProviderCache,
} from '../../bench/cache-provider.ts';
import { legalLogs } from './logs.ts';

// proves: ledger.sums, ledger.explained

const systemTokens = 3_000;

/** The log as if a provider had billed each of its calls; `inputs` may change what `round.open` records. */
function billedBy(
  cache: ProviderCache,
  log: readonly Block[],
  inputs: (round: number) => JsonObject = () => ({}),
): readonly Block[] {
  let opened: Block | undefined;
  let rounds = 0;
  return log.map((block) => {
    if (block.type === 'round.open') {
      const hashes = { system: 's', ...((block.data as JsonObject)['hashes'] as object) };
      const data = {
        ...(block.data as JsonObject),
        hashes,
        tokens: { system: systemTokens, announce: 200 },
      };
      opened = { ...block, data: { ...data, ...inputs(rounds) } };
      rounds += 1;
      return opened;
    }
    if (block.type !== 'model.call' || !opened) return block;
    const billed = bill(cache, { log, opened });
    const usage = {
      input_tokens: billed.inputTokens,
      cache_read_tokens: billed.cacheReadTokens,
      cache_write_tokens: billed.cacheWriteTokens,
      output_tokens: 1,
    };
    return { ...block, data: { model: 'm', role: 'decision', usage } };
  });
}

function bill(cache: ProviderCache, { log, opened }: { log: readonly Block[]; opened: Block }) {
  const asOf = Number((opened.data as JsonObject)['as_of']);
  const { parts } = toRequest(foldAll(emptyView, log.slice(0, asOf)), opened);
  const sent = parts.map(({ key, tokens, in: where }, index) => ({
    text: where === 'tail' ? `${opened.seq}` : key,
    tokens,
    ...(index === 0 || index === parts.length - 2 ? { mark: 'short' as const } : {}),
  }));
  return cache.meter(sent, Date.parse(opened.at));
}

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
        for (const cause of ['provider', 'undeclared', 'cold'])
          expect(causes(calls)).not.toContain(cause);
      }),
      { numRuns: 8 },
    );
  },
);

test('sums are those of the provider, whatever it reports', () => {
  const counts = fc.nat(200_000);
  const usages = fc.array(
    fc.record({ input_tokens: counts, cache_read_tokens: counts, cache_write_tokens: counts }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(legalLogs, usages, (log, all) => {
      const odd = log.map((block, index) =>
        block.type === 'model.call'
          ? {
              ...block,
              data: { model: 'm', usage: { output_tokens: 0, ...all[index % all.length] } },
            }
          : block,
      );
      for (const { misses, missedTokens } of cacheLedger(odd)) {
        expect(misses.every(({ tokens }) => tokens >= 0 && Number.isInteger(tokens))).toBe(true);
        expect(misses.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(missedTokens);
      }
    }),
    { numRuns: 12 },
  );
});

/** Two turns of two rounds, long enough for any provider. */
function story(
  change: (
    turn: number,
  ) => readonly Omit<Block, 'conversation' | 'seq' | 'at' | 'meta'>[] = () => [],
): readonly Block[] {
  const text = 'a value of a row of a table '.repeat(300);
  const drafts = [1, 2].flatMap((turn) => {
    const own = { turn: `turn_${turn}` };
    const round = (number: number) => [
      { ...own, type: 'round.open', author: 'system' as const, data: { round: number, as_of: 0 } },
      { ...own, type: 'react.thinking', author: 'agent' as const, text, data: {} },
      { ...own, type: 'model.call', author: 'system' as const, data: {} },
      {
        ...own,
        type: 'round.close',
        author: 'system' as const,
        data: { round: number, outcome: 'acted' },
      },
    ];
    return [
      { ...own, type: 'turn.open', author: 'system' as const, data: {} },
      {
        ...own,
        type: 'user.prompt',
        author: 'user' as const,
        path: `ar:turn_${turn}.user.prompt`,
        text,
      },
      ...round(1),
      ...change(turn),
      ...round(2),
      { ...own, type: 'turn.close', author: 'system' as const, data: { reason: 'completed' } },
    ];
  });
  return drafts.map((draft, index) => {
    const data =
      draft.type === 'round.open' ? { ...(draft.data as JsonObject), as_of: index } : draft.data;
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
    return {
      ...draft,
      ...(data === undefined ? {} : { data }),
      conversation: 'c',
      seq: index + 1,
      at,
      meta: {},
    } as Block;
  });
}

const hide = {
  turn: 'turn_2',
  type: 'view.hide',
  author: 'agent' as const,
  data: { path: 'ar:turn_1.user.prompt', replacement: 'short', cause: 'x' },
};
const declared = {
  turn: 'turn_2',
  type: 'cache.break',
  author: 'system' as const,
  data: { cause: 'hide' },
};

test('a break is charged to the block that made it, and one that nobody declared is told', () => {
  const told = billedBy(
    createMarkedCache(),
    story((turn) => (turn === 2 ? [hide, declared] : [])),
  );
  const block = told.find(({ type }) => type === 'view.hide')?.seq;
  expect(
    cacheLedger(told)
      .at(-1)
      ?.misses.filter(({ cause }) => cause === 'hide')
      .map((miss) => miss.block),
  ).toContain(block);
  const silent = cacheLedger(
    billedBy(
      createMarkedCache(),
      story((turn) => (turn === 2 ? [hide] : [])),
    ),
  );
  expect(causes(silent)).toContain('undeclared');
});

test('a pause longer than an entry lives is cold, and only for what was sent before', () => {
  const cache = createMarkedCache();
  const late = story().map((block) =>
    block.turn === 'turn_2'
      ? { ...block, at: new Date(Date.parse(block.at) + 3_600_000).toISOString() }
      : block,
  );
  const [, , first] = cacheLedger(billedBy(cache, late));
  expect(first?.readTokens).toBe(0);
  expect(new Set(first?.misses.map(({ cause }) => cause))).toEqual(
    new Set(['cold', 'new', 'tail']),
  );
  const cold = first?.misses.filter(({ cause }) => cause === 'cold') ?? [];
  expect(cold.every(({ block = 0 }) => block < (first?.seq ?? 0))).toBe(true);
});

test('another catalogue costs the whole prefix; a provider that forgets is named', () => {
  const catalogue = { ...declared, data: { cause: 'catalogue' } };
  const log = story((turn) => (turn === 2 ? [catalogue] : []));
  const changed = cacheLedger(
    billedBy(createMarkedCache(), log, (round) => (round < 3 ? {} : { hashes: { system: 't' } })),
  );
  expect(new Set(changed.at(-1)?.misses.map(({ cause }) => cause))).toEqual(
    new Set(['catalogue', 'new', 'tail']),
  );
  const forgetful: ProviderCache = { meter: (blocks) => createMarkedCache().meter(blocks, 0) };
  expect(causes(cacheLedger(billedBy(forgetful, story())))).toContain('provider');
});
