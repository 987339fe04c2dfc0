import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitRows } from '../../../../runtime/timeline/compact/fit.ts';
import { type MemoryLists, noRows } from '../../../../runtime/timeline/compact/memory-rows.ts';
import { memoryText } from '../../../../runtime/timeline/compact/memory-text.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';
import type { MemoryContents, MemoryRow } from '../../../../runtime/timeline/view.ts';
import { runs, share } from '../../../tools/runs.ts';

const row: fc.Arbitrary<MemoryRow> = fc.record({
  ref: fc.string({ minLength: 1, maxLength: 20 }),
  text: fc.string({ maxLength: 80 }),
});
const rows: fc.Arbitrary<MemoryLists> = fc.record({
  turns: fc.array(row),
  events: fc.array(row),
  notes: fc.array(row),
  files: fc.array(row),
  skills: fc.array(row),
  results: fc.array(row),
  plans: fc.array(row),
  earlier: fc.array(row),
});

test('the rows never exceed the limit; the newest stay', () => {
  fc.assert(
    fc.property(rows, fc.nat(400), (all, tokensMax) => {
      const fitted = fitRows(all, tokensMax);
      const shown = Object.values(fitted).flat();
      const tokens = shown.reduce((sum, { ref, text }) => sum + countTokens(`${ref} ${text}`), 0);
      expect(tokens).toBeLessThanOrEqual(tokensMax);
      const refs = (list: readonly MemoryRow[]) => list.map(({ ref }) => ref);
      const late = refs(fitted.turns).slice(1);
      expect(refs(all.turns).slice(all.turns.length - late.length)).toEqual(late);
      if (fitted.turns.length > 0) expect(fitted.turns[0]?.ref).toBe(all.turns[0]?.ref);
    }),
    runs(30),
  );
});

test('a pinned note is kept longer than every other note, word for word', () => {
  const pin = { ref: 'ar:turn_1.react.note.1', text: '[P] Always answer in French.' };
  const others = Array.from({ length: 200 }, (_, n) => ({ ref: `n${n}`, text: `Note ${n}` }));
  const fitted = fitRows({ ...noRows, notes: [pin, ...others] }, 4_000);
  expect(fitted.notes).toHaveLength(32);
  const kept: MemoryContents = {
    ...fitted,
    summary: '',
    count: 1,
    since: '',
    until: '',
    earlier: [],
  };
  const text = memoryText(kept, { path: 'su:turn_2.conv.range.summary', plans: [] });
  expect(text).toContain('INTERNAL MEMORY DIGEST:\n- [P] Always answer in French.');
});

const many = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({ ref: `fi:turn_${n}.outputs/${n}.md`, text: text(n) }));

test('files of the user are kept longer than every other file, and come first', () => {
  const sent = { ref: 'fi:turn_0.user.attachments/data.csv', text: 'text/csv | 48.2 kB' };
  const later = { ref: 'fi:turn_9.external.followup.attachments/m/b.csv', text: 'text/csv | 1 B' };
  const files = [sent, ...many(90, (n) => `made ${n}`), later, ...many(9, (n) => `again ${n}`)];
  const fitted = fitRows({ ...noRows, files }, 1_000);
  expect(fitted.files.slice(0, 2)).toEqual([sent, later]);
  expect(fitted.files.length).toBeGreaterThan(5);
  expect(fitted.files.length).toBeLessThan(90);
});

// proves: compact.files
test('a file row is shortened to its path first; delivered files are kept longer than canvases and older versions', () => {
  const made = (n: number, name: string) => ({
    ref: `fi:turn_${n}.outputs/${name}`,
    text: `text/html | 9.1 kB | ${'all about the lamps of the harbour '.repeat(4)}`,
  });
  const page = (n: number) => ({ ref: `ar:turn_${n}.canvas.board`, text: 'Board' });
  const files = [
    { ref: 'fi:turn_0.user.attachments/data.csv', text: 'text/csv | 48.2 kB' },
    made(1, 'chart.svg'),
    ...Array.from({ length: 30 }, (_, n) => [made(n + 2, 'report.html'), page(n + 2)]).flat(),
  ];
  const fitted = fitRows({ ...noRows, files }, 600).files;
  expect(fitted.map(({ ref }) => ref).slice(0, 2)).toEqual([
    'fi:turn_0.user.attachments/data.csv',
    'fi:turn_1.outputs/chart.svg',
  ]);
  expect(fitted.map(({ ref }) => ref)).toContain('fi:turn_31.outputs/report.html');
  expect(fitted.filter(({ ref }) => ref.includes('canvas'))).toEqual([page(31)]);
  expect(fitted.at(0)?.text).toContain('48.2 kB');
  expect(fitted.length).toBeLessThan(20);
});

test('closed plans and earlier memories are listed only if the other rows leave room', () => {
  const results = Array.from({ length: 90 }, (_, n) => ({
    ref: `tc:turn_1.tc_${n}.result`,
    text: 'town.look {} → the lamps',
  }));
  const plans = [{ ref: 'ar:plan.latest:plan:turn_1', text: 'closed, 3 of 3 done' }];
  const earlier = [{ ref: 'su:turn_1.conv.range.summary', text: '4 turns' }];
  const wide = fitRows({ ...noRows, results, plans, earlier }, 1_000);
  expect([wide.plans, wide.earlier]).toEqual([plans, earlier]);
  const turns = results.map(({ ref }) => ({ ref, text: 'asked '.repeat(20) }));
  const all = { ...noRows, turns, results, files: results, events: results, notes: results };
  const tight = fitRows({ ...all, plans, earlier }, 300);
  expect(tight.plans.length + tight.earlier.length).toBe(0);
});

test('results of programs are kept longer than results of reads', () => {
  const ran = { ref: 'tc:turn_0.tc_1.result', text: 'exec_tools.execute_code_python {} → 4' };
  const reads = Array.from({ length: 90 }, (_, n) => ({
    ref: `tc:turn_1.tc_${n}.result`,
    text: 'react.read {} → a page',
  }));
  const { results } = fitRows({ ...noRows, results: [ran, ...reads] }, 1_000);
  expect(results).toContainEqual(ran);
  expect(results.length).toBeLessThan(90);
});

test('turn rows are shortened to name and first words before rows are dropped, and the first turn always stays', () => {
  const turns = Array.from({ length: 12 }, (_, n) => ({
    ref: `turn_${n}`,
    text: `2026-01-01T00:00 “Question ${n} ${'about the lamps '.repeat(8)}” → ${'lit '.repeat(40)}`,
  }));
  const some = fitRows({ ...noRows, turns }, 1_600).turns;
  expect(some.map(({ ref }) => ref)).toEqual(turns.map(({ ref }) => ref));
  expect(some[0]?.text).toContain('“Question 0 about');
  expect(some.at(-1)).toEqual(turns.at(-1));
  const few = fitRows({ ...noRows, turns }, 400).turns;
  expect(few.length).toBeLessThan(12);
  expect([few[0]?.ref, few.at(-1)?.ref]).toEqual(['turn_0', 'turn_11']);
});

const delivery = fc.record({
  turn: fc.nat(30),
  name: fc.constantFrom('a.svg', 'b.md', 'c.csv', 'd.html', 'e.json'),
  internal: fc.boolean(),
  about: fc.constantFrom('', 'All about the lamps of the harbour, one by one'),
});

// proves: compact.files
test('a delivered file takes precedence over closed plans and earlier memories, even in a small memory', () => {
  const long = (count: number, ref: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => ({
      ref: ref(n),
      text: 'the lamps were lit '.repeat(9),
    }));
  const some = fc.array(delivery, { minLength: 1, maxLength: 40 });
  let short = 0;
  fc.assert(
    fc.property(some, fc.nat(4), fc.integer({ min: 50, max: 2_000 }), (made, others, most) => {
      const files = made.map(({ turn, name, internal, about }) => ({
        ref: `fi:turn_${turn}.outputs/${turn % 7}-${name}`,
        text: ['text/plain', internal ? 'internal' : '', about].filter(Boolean).join(' | '),
      }));
      const fitted = fitRows(
        {
          ...noRows,
          files,
          turns: long(others * 3, (n) => `turn_${n}`),
          results: long(others * 9, (n) => `tc:turn_${n}.tc_1.result`),
          plans: [{ ref: 'ar:plan.latest:plan:turn_1:1', text: 'replaced, 0 of 3 done' }],
          earlier: [{ ref: 'su:turn_1.conv.range.summary', text: '4 turns' }],
        },
        most,
      );
      const name = (ref: string) => ref.split('/').at(-1);
      const kept = new Set(fitted.files.map(({ ref }) => ref));
      const delivered = files.filter(({ text }) => !text.includes('internal'));
      const newest = new Map(delivered.map(({ ref }) => [name(ref), ref]));
      const lost = [...newest.values()].filter((ref) => !kept.has(ref));
      if (lost.length > 0) short += 1;
      if (lost.length > 0) expect([...fitted.plans, ...fitted.earlier]).toEqual([]);
    }),
    runs(100),
  );
  expect(short).toBeGreaterThan(share(5));
});

test('an internal copy does not replace the delivered file', () => {
  const given = { ref: 'fi:turn_1.outputs/page.md', text: 'text/markdown | 1.0 kB' };
  const copies = Array.from({ length: 40 }, (_, n) => ({
    ref: `fi:turn_${n + 2}.outputs/page.md`,
    text: 'text/markdown | 1.0 kB | internal',
  }));
  const { files } = fitRows({ ...noRows, files: [given, ...copies] }, 400);
  expect(files.map(({ ref }) => ref)).toContain(given.ref);
});
