import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf, briefOf } from '../../../runtime/timeline/compact-brief.ts';
import { extractHistory, isUsable } from '../../../runtime/timeline/compact-extract.ts';
import { markRefs, refsIn } from '../../../runtime/timeline/compact-refs.ts';
import { noRows, type Rows } from '../../../runtime/timeline/compact-rows.ts';
import { fitRows, memoryText } from '../../../runtime/timeline/compact-text.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold.ts';
import { countTokens } from '../../../runtime/timeline/tokens.ts';
import type { Kept, KeptRow } from '../../../runtime/timeline/view.ts';
import { turnScript } from './log-scripts.ts';
import { writeLog } from './write-log.ts';

const scripts = fc
  .sample(turnScript, { numRuns: 6, seed: 3 })
  .map((script) => ({ ...script, prompt: 'All about the lamps. '.repeat(200) }));
const view = foldAll(emptyView, writeLog(scripts));
const blocks = blocksOf(view.turns);

test('what a summary model is given fits its window: work is cut first, and nothing is sent that cannot fit', () => {
  const material = { blocks, before: 'So far so good.', about: 'history' as const };
  const whole = briefOf(view, material, 1_000_000);
  const tokens = countTokens(whole?.text ?? '') + countTokens(whole?.system ?? '');
  expect(whole?.text).toContain('So far so good.');
  const short = briefOf(view, material, tokens - 1);
  expect(short && countTokens(short.text) + countTokens(short.system)).toBeLessThan(tokens);
  for (const { id } of view.turns) expect(short?.text).toContain(`ar:${id}.user.prompt`);
  expect(briefOf(view, material, 100)).toBeUndefined();
});

test('an extract has the newest turns and the room it is given', () => {
  fc.assert(
    fc.property(fc.integer({ min: 40, max: 400 }), fc.string(), (tokensMax, before) => {
      const text = extractHistory(view.turns, { before, tokensMax });
      expect(countTokens(text)).toBeLessThanOrEqual(tokensMax + view.turns.length * 4);
    }),
    { numRuns: 20 },
  );
  expect(extractHistory(view.turns, { before: '', tokensMax: 2_000 })).not.toBe('');
});

test.each([
  ['', false],
  ['ok', false],
  [
    'The harbour is quiet, the lamps are lit, and the books are kept as the town has asked for.',
    true,
  ],
  ['word '.repeat(500), false],
])('a summary is used if it says something and fits', (text, usable) => {
  expect(isUsable(text, 200)).toBe(usable);
});

// proves: compact.refs
test('a text is searched for paths as people write them', () => {
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

const row: fc.Arbitrary<KeptRow> = fc.record({
  ref: fc.string({ minLength: 1, maxLength: 20 }),
  text: fc.string({ maxLength: 80 }),
});
const rows: fc.Arbitrary<Rows> = fc.record({
  turns: fc.array(row),
  events: fc.array(row),
  notes: fc.array(row),
  files: fc.array(row),
  results: fc.array(row),
});

test('rows fill the room and no more; the newest stay', () => {
  fc.assert(
    fc.property(rows, fc.nat(400), (all, tokensMax) => {
      const fitted = fitRows(all, tokensMax);
      const shown = Object.values(fitted).flat();
      const tokens = shown.reduce((sum, { ref, text }) => sum + countTokens(`${ref} ${text}`), 0);
      expect(tokens).toBeLessThanOrEqual(tokensMax);
      expect(all.turns.slice(all.turns.length - fitted.turns.length)).toEqual(fitted.turns);
    }),
    { numRuns: 30 },
  );
});

test('a pinned note outlives every other note, word for word', () => {
  const pin = { ref: 'ar:turn_1.react.note.1', text: '[P] Always answer in French.' };
  const others = Array.from({ length: 200 }, (_, n) => ({ ref: `n${n}`, text: `Note ${n}` }));
  const fitted = fitRows({ ...noRows, notes: [pin, ...others] }, 4_000);
  expect(fitted.notes).toHaveLength(32);
  const kept: Kept = { ...fitted, summary: '', count: 1, since: '', until: '', earlier: [] };
  const text = memoryText(kept, { path: 'su:turn_2.conv.range.summary', plans: [] });
  expect(text).toContain('INTERNAL MEMORY DIGEST:\n- [P] Always answer in French.');
});
