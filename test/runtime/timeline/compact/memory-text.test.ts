import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractHistory, trimSummary } from '../../../../runtime/timeline/compact/extract.ts';
import { fitRows } from '../../../../runtime/timeline/compact/fit.ts';
import { noRows } from '../../../../runtime/timeline/compact/memory-rows.ts';
import {
  memoryText,
  openPlanRows,
  planRows,
  turnsOf,
} from '../../../../runtime/timeline/compact/memory-text.ts';
import { markRefs, refsIn } from '../../../../runtime/timeline/compact/refs.ts';
import { blocksOf, summaryPrompt } from '../../../../runtime/timeline/compact/summary-prompt.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { shortNames } from '../../../../runtime/timeline/short-names.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';
import type { MemoryContents } from '../../../../runtime/timeline/view.ts';
import { runs } from '../../../tools/runs.ts';
import { turnScript } from '../logs/log-scripts.ts';
import { writeLog } from '../logs/write-log.ts';

const scripts = fc
  .sample(turnScript, { numRuns: 6, seed: 3 })
  .map((script) => ({ ...script, prompt: 'All about the lamps. '.repeat(200) }));
const view = foldAll(emptyView, writeLog(scripts));
const blocks = blocksOf(view.turns);
const names = shortNames(view);

test('a summary prompt fits its window: tool results are cut first, and a prompt that cannot fit is not built', () => {
  const material = {
    blocks,
    before: 'So far so good.',
    about: 'history' as const,
    events: [],
    notes: [],
    until: 'turn_6',
  };
  const within = (tokensMax: number) =>
    summaryPrompt(view, material, { tokensMax, answerTokensMax: 500 });
  const whole = within(1_000_000);
  const tokens = countTokens(whole?.text ?? '') + countTokens(whole?.system ?? '');
  expect(whole?.text).toContain('So far so good.');
  const short = within(tokens - 1);
  expect(short && countTokens(short.text) + countTokens(short.system)).toBeLessThan(tokens);
  for (const { id } of view.turns)
    expect(short?.text).toContain(names.path(`ar:${id}.user.prompt`));
  expect(within(100)).toBeUndefined();
});

test('an extract contains the newest turns within its limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 40, max: 400 }), fc.string(), (tokensMax, before) => {
      const text = extractHistory(view.turns, { before, tokensMax, names });
      expect(countTokens(text)).toBeLessThanOrEqual(tokensMax + view.turns.length * 4);
    }),
    runs(20),
  );
  expect(extractHistory(view.turns, { before: '', tokensMax: 2_000, names })).not.toBe('');
});

test.each(['', 'ok', 'x'.repeat(5_000)])(
  'a summary that says nothing, or nothing whole, is not used',
  (text) => {
    expect(trimSummary(text, 200)).toBeUndefined();
  },
);

test('a summary that fits is used unchanged, a longer one is cut at a line or sentence', () => {
  const fits =
    'The harbour is quiet, the lamps are lit, and the books are kept as the town has asked for.';
  expect(trimSummary(fits, 200)).toBe(fits);
  const paths = (n: number) =>
    `Facts to keep\nLamp ${n}: 12.5 m, tc:turn_${n}.tc_${n}.result. It is green.\n`;
  const long = Array.from({ length: 40 }, (_, n) => paths(n)).join('');
  const cut = trimSummary(long, 300) ?? '';
  expect(countTokens(cut)).toBeLessThanOrEqual(300);
  expect(countTokens(cut)).toBeGreaterThan(250);
  expect(cut.endsWith('\n…')).toBe(true);
  expect(long.startsWith(cut.slice(0, -2))).toBe(true);
  expect(cut).toMatch(/(?:green\.|keep)\n…$/);
});

test('each turn of an extract has its name and its time', () => {
  const text = extractHistory(view.turns, { before: '', tokensMax: 2_000, names });
  const last = view.turns.at(-1);
  expect(text).toContain(
    `${names.turn(toTurnId(last?.id ?? ''))}, ${last?.openedAt.slice(11, 16)}:\n`,
  );
});

// proves: compact.refs
test('paths are found in ordinary prose', () => {
  const text =
    'See ar:turn_1.user.prompt, (tc:turn_1.tc_2.result) and fi:turn_1.outputs/a.csv. Sources: so:sources_pool[1,3-5]; not ar:<turn>.user.prompt. Note: so: many.';
  expect(refsIn(text)).toEqual([
    'ar:turn_1.user.prompt',
    'tc:turn_1.tc_2.result',
    'fi:turn_1.outputs/a.csv',
    'so:sources_pool[1,3-5]',
  ]);
  const marked = markRefs(text, new Set(['fi:turn_1.outputs/a.csv']));
  expect(marked).toContain('and (no such path). Sources: so:sources_pool[1,3-5];');
  expect(refsIn(marked)).not.toContain('fi:turn_1.outputs/a.csv');
});

test('a shortened path is not a reference and is not changed', () => {
  const text = 'Programs (fi:….code.…, tc:turn_1...result) cannot be opened.';
  expect(refsIn(text)).toEqual([]);
});

test('a memory names the skills that were read, and says that the text below it is newer', () => {
  const skills = [{ ref: 'sk:town.lamps', text: 'in turn_1' }];
  const fitted = fitRows({ ...noRows, skills }, 1_000);
  const kept: MemoryContents = {
    ...fitted,
    summary: '',
    count: 1,
    since: '',
    until: '',
    earlier: [],
  };
  const text = memoryText(kept, { path: 'su:turn_2.conv.range.summary', plans: [] });
  expect(text).toMatch(
    /^SKILLS AND KNOWLEDGE READ, .*react\.read.*:\n- sk:town\.lamps in turn_1$/m,
  );
  expect(text).toContain('What stands below this memory is newer');
});

test('one turn is not called turns, in the heading of a memory and in the row that names it later', () => {
  expect([1, 2].map((count) => turnsOf({ count }))).toEqual(['1 turn', '2 turns']);
});

// proves: compact.more
test('a shortened list states how many more rows there are, and where', () => {
  const results = [{ ref: 'tc:turn_1.tc_1.result', text: 'town.look {} → lit' }];
  const kept: MemoryContents = {
    ...noRows,
    results,
    summary: 'So far.',
    count: 1,
    since: '',
    until: '',
  };
  const summary = { path: 'su:turn_2.conv.range.summary', plans: [] };
  expect(memoryText(kept, summary)).not.toContain(' more in ');
  const short = { ...kept, more: { results: 3, files: 2 } };
  expect(memoryText(short, summary)).toContain(
    'RESULTS:\n- tc:turn_1.tc_1.result town.look {} → lit\n- … 3 more in the su: path above\n',
  );
});

// proves: compact.more
test('a list of which nothing is shown states how many rows there are, and the path that has them', () => {
  const kept: MemoryContents = {
    ...noRows,
    summary: 'So far.',
    count: 1,
    since: '',
    until: '',
    more: { results: 15, files: 1 },
  };
  const path = 'su:t2.conv.range.summary';
  const text = memoryText(kept, { path, plans: [] });
  expect(text).toContain(`FILES, with the user unless internal: none shown here, 1 in ${path}\n`);
  expect(text).toContain(`RESULTS: none shown here, 15 in ${path}\n`);
  const whole = memoryText(kept, { path, plans: [], where: 'the memories before it' });
  expect(whole).toContain('RESULTS: none shown here, 15 in the memories before it\n');
});

test('a memory whose turns all began in the same minute shows one time', () => {
  const kept = { ...noRows, summary: '', count: 2 };
  const text = (until: string) =>
    memoryText({ ...kept, since: '2026-01-01T23:48:03.000Z', until }, { path: 'su:a', plans: [] });
  expect(text('2026-01-01T23:48:59.000Z')).toMatch(/ \| 2 turns \| 2026-01-01T23:48\n/);
  expect(text('2026-01-01T23:49:00.000Z')).toContain('| 2026-01-01T23:48 to 2026-01-01T23:49\n');
});

const snapshot = {
  plan_id: 'plan:turn_1:1',
  steps: ['Compute', 'Write 900 words'],
  status: { '1': 'done' as const },
  current: false,
  created_ts: '',
  last_ts: '',
  origin_turn_id: toTurnId('turn_1'),
  last_turn_id: toTurnId('turn_1'),
};
const then = '2026-01-01T00:00:00.000Z';
const over = [
  { ...snapshot, plan_id: 'plan:turn_1:2', superseded_ts: then, superseded_by_plan_id: 'plan:x' },
  { ...snapshot, plan_id: 'plan:turn_1:3', closed_ts: then },
  { ...snapshot, plan_id: 'plan:turn_1:4', status: { '1': 'done', '2': 'failed' } as const },
];

// proves: compact.plans
test('a memory names the open plans that do not fit into ANNOUNCE, and no closed plans', () => {
  const open = Array.from({ length: 6 }, (_, n) => ({ ...snapshot, plan_id: `plan:turn_2:${n}` }));
  expect(openPlanRows([...over, ...open, ...over])).toEqual(
    open.slice(0, 2).map(({ plan_id }) => ({
      ref: `ar:plan.latest:${plan_id}`,
      text: 'open, 1 of 2 done: Compute…',
    })),
  );
  expect(openPlanRows(over)).toEqual([]);
});

test('the full text of a memory names every plan that is not in ANNOUNCE, with its outcome', () => {
  expect(planRows([...over, snapshot]).map(({ text }) => text)).toEqual([
    'replaced, 1 of 2 done',
    'closed, 1 of 2 done: Compute…',
    'complete, 1 of 2 done: Compute…',
  ]);
});
