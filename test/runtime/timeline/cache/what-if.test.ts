import { expect, test } from 'vitest';
import { cacheLedger } from '../../../../runtime/timeline/cache/ledger.ts';
import { whatIf, whatIfKept } from '../../../../runtime/timeline/cache/what-if.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { planPrune } from '../../../../runtime/timeline/prune/prune.ts';
import { createMarkedCache } from '../../../bench/cache/provider.ts';
import { billedBy, hidden, hide, images, story } from './cache-stories.ts';

// proves: ledger.what-if

const settings = { room: 80_000, recentTurns: 2, intactTurns: 1 };

test.each([
  { turns: 3, after: 'little' },
  { turns: 6, after: 'more parts than a provider looks back' },
])(
  'what a hide would cost is what it then costs, within a hundredth, with $after after it',
  ({ turns }) => {
    const change = (turn: number) => (turn === turns ? hide(turn) : []);
    const late = (turn: number) => (turn === turns - 3 ? images(turn) : []);
    const billed = billedBy(createMarkedCache(), story({ turns, change, late }));
    const last = cacheLedger(billed).at(-1);
    const paid = last?.misses.filter(({ cause }) => cause === 'hide') ?? [];
    const tokens = paid.reduce((sum, miss) => sum + miss.tokens, 0);
    const at = billed.findIndex(({ type }) => type === 'view.hide');
    const view = foldAll(emptyView, billed.slice(0, at));
    const said = whatIf(view, { kind: 'hide', path: hidden }, settings);
    expect(tokens).toBeGreaterThan(1_000);
    expect(Math.abs((said?.again ?? 0) - tokens) / tokens).toBeLessThan(0.01);
    expect(said?.tokensAfter).toBeLessThan(said?.tokensBefore ?? 0);
    expect(said?.paysAfterCalls).toBeGreaterThan(0);
  },
);

test('another catalogue costs the whole prompt and saves nothing', () => {
  const view = foldAll(emptyView, billedBy(createMarkedCache(), story()));
  const said = whatIf(view, { kind: 'catalogue' }, settings);
  expect(said?.again).toBeGreaterThan((said?.tokensBefore ?? 0) * 0.7);
  expect(said?.paysAfterCalls).toBeUndefined();
});

test('pruning and compacting are simulated on the current view, and an edit without effect returns undefined', () => {
  const view = foldAll(emptyView, billedBy(createMarkedCache(), story({ turns: 8 })));
  for (const kind of ['prune', 'compact'] as const) {
    const said = whatIf(view, { kind }, { ...settings, room: 12_000 });
    expect(said?.tokensAfter, kind).toBeLessThan((said?.tokensBefore ?? 0) * 0.8);
  }
  const said = whatIf(view, { kind: 'hide', path: 'ar:turn_99.user.prompt' }, settings);
  expect(said).toBeUndefined();
});

test('a path is accepted in any spelling', () => {
  const view = foldAll(emptyView, billedBy(createMarkedCache(), story({ turns: 3 })));
  const plain = whatIf(view, { kind: 'hide', path: hidden }, settings);
  expect(plain?.tokensAfter).toBeLessThan(plain?.tokensBefore ?? 0);
  expect(whatIf(view, { kind: 'hide', path: `conv:${hidden}` }, settings)).toEqual(plain);
});

test('between two turns a compaction of all turns does not change the system text', () => {
  const view = foldAll(emptyView, billedBy(createMarkedCache(), story({ turns: 3 })));
  const said = whatIf(view, { kind: 'compact' }, { ...settings, room: 6_000 });
  expect(said?.tokensAfter).toBeGreaterThan(3_000);
  expect(said?.again).toBeLessThan((said?.tokensAfter ?? 0) - 2_900);
});

test('a larger window of turns costs what the pruned turns have more in each prompt', () => {
  const story8 = billedBy(createMarkedCache(), story({ turns: 8 }));
  const blocks = story8.slice(0, story8.findLastIndex(({ type }) => type === 'turn.open') + 1);
  expect(whatIfKept(blocks, 8, settings)).toBeUndefined();
  const [first] = blocks;
  const view = foldAll(emptyView, blocks);
  const pruning = { ...settings, ttlMs: 1, changed: true };
  const pruned = planPrune(view, { now: 0, settings: pruning }) ?? [];
  expect(pruned.map(({ type }) => type)).toContain('view.prune');
  const placed = pruned.map((draft, index) => ({
    ...{ ...draft, conversation: first?.conversation ?? '', meta: {} },
    ...{ seq: toSeq(view.head + index + 1), at: first?.at ?? '' },
  }));
  const all = whatIfKept([...blocks, ...placed], 8, settings);
  const some = whatIfKept([...blocks, ...placed], 5, settings);
  expect(all?.tokensAfter).toBeGreaterThan((all?.tokensBefore ?? 0) * 1.2);
  expect(some?.tokensAfter).toBeLessThan(all?.tokensAfter ?? 0);
  expect(some?.tokensAfter).toBeGreaterThan(all?.tokensBefore ?? 0);
  expect(all).toMatchObject({ again: 0, paysAfterCalls: undefined });
});
