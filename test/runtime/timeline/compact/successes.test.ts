import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { coveredText } from '../../../../runtime/timeline/compact/covered-rounds.ts';
import { fitRows } from '../../../../runtime/timeline/compact/fit.ts';
import { noRows, rowsOf } from '../../../../runtime/timeline/compact/memory-rows.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { MemoryRow } from '../../../../runtime/timeline/view.ts';
import { runs, share } from '../../../tools/runs.ts';
import { LogWriter } from '../logs/log-writer.ts';

const turn = toTurnId('turn_1');
const failure = { code: 'tool_failed', message: 'the harbour is closed' };

type Call = { readonly ok: boolean; readonly file: boolean };

/** One turn whose rounds make the calls of one list each. */
function turnOf(rounds: readonly (readonly Call[])[]) {
  const numbers = Array.from({ length: rounds.flat().length }, (_, index) => index + 1).values();
  const called = (call: Call) => drafts(call, numbers.next().value ?? 0);
  const log = new LogWriter();
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Light them.' },
  );
  for (const [index, calls] of rounds.entries()) {
    const round = index + 1;
    const open = { round, as_of: log.head, now: '', phase: 'decision', renderer: 1, hashes: {} };
    log.append(
      { type: 'round.open', turn, author: 'system', data: { ...open, landed: [] } },
      ...calls.flatMap((call) => called(call)),
      { type: 'round.close', turn, author: 'system', data: { round, outcome: 'acted' } },
    );
  }
  return foldAll(emptyView, log.blocks);
}

function drafts({ ok, file }: Call, n: number): readonly Draft[] {
  const call = toCallId(`tc_${n}`);
  const of = { turn, author: 'tool' as const, call };
  const input = { lamp: `the lamp number ${n} on the quay, seen from the sea` };
  const data = { tool: 'town.look', input, key: call, effects: 'none' };
  const result = ok ? { ok, ret: 'lit' } : { ok, error: failure };
  const name = `outputs/lamp-${n}.md`;
  const filed = { filename: name, size: 7, visibility: 'external' };
  return [
    { ...of, type: 'react.tool.call', path: paths.call(turn, call), data },
    { ...of, type: 'react.tool.result', path: paths.result(turn, call), text: 'x', data: result },
    ...(file ? [{ ...of, type: 'artifact.file', path: paths.file(turn, name), data: filed }] : []),
  ];
}

const calls = fc.array(fc.record({ ok: fc.boolean(), file: fc.boolean() }), { maxLength: 4 });
const rounds = fc.array(calls, { minLength: 1, maxLength: 20 });

// proves: compact.successes
test('a memory has the row of a failed call only if every file and every successful call has one', () => {
  const seen = { failures: 0, lacking: 0 };
  fc.assert(
    fc.property(rounds, fc.integer({ min: 50, max: 2_500 }), (made, tokensMax) => {
      const view = turnOf(made);
      const all = { ...noRows, ...rowsOf(view, view.turns), turns: [], skills: [], notes: [] };
      const kept = fitRows(all, tokensMax);
      const failed = all.results.filter(({ text }) => text.includes(failure.code));
      const others = [...all.results.filter((row) => !failed.includes(row)), ...all.files];
      const names = new Set([...kept.results, ...kept.files].map(({ ref }) => ref));
      const lacking = others.filter(({ ref }) => !names.has(ref));
      if (lacking.length > 0) seen.lacking += 1;
      if (!failed.some(({ ref }) => names.has(ref))) return;
      seen.failures += 1;
      expect(lacking).toEqual([]);
    }),
    runs(100),
  );
  expect(Math.min(seen.failures, seen.lacking)).toBeGreaterThan(share(5));
});

// proves: compact.successes
test('covered rounds list a failed call only if every file and every successful call is listed', () => {
  const seen = { failures: 0, lacking: 0 };
  fc.assert(
    fc.property(rounds, fc.integer({ min: 150, max: 2_000 }), (made, tokensMax) => {
      const view = turnOf(made);
      const [only] = view.turns;
      const text = only
        ? coveredText(view, only, { rounds: made.length, progress: 'Half.', tokensMax })
        : '';
      const flat = made.flat().map((call, index) => ({ ...call, n: index + 1 }));
      const isListed = (n: number) => text.includes(`tc:t1.c${n}.result`);
      const lacking = flat.filter(
        ({ ok, file, n }) => (ok && !isListed(n)) || (file && !text.includes(`lamp-${n}.md`)),
      );
      if (lacking.length > 0) seen.lacking += 1;
      const failed = flat.filter(({ ok }) => !ok);
      const left = failed.filter(({ n }) => !isListed(n));
      if (lacking.length + left.length > 0) expect(text).toContain('(not listed: ');
      if (left.length === failed.length) return;
      seen.failures += 1;
      expect(lacking).toEqual([]);
    }),
    runs(100),
  );
  expect(Math.min(seen.failures, seen.lacking)).toBeGreaterThan(share(5));
});

// proves: compact.successes
test('a round of which only the files fit says how many of its calls are not listed', () => {
  const calls = [true, true, true].map((ok, index) => ({ ok, file: index > 0 }));
  const view = turnOf([calls]);
  const [only] = view.turns;
  const text = only
    ? coveredText(view, only, { rounds: 1, progress: 'Half.', tokensMax: 150 })
    : '';
  expect(text).toContain('(not listed: 3 calls; see ar:t1.react.turn.index)');
  expect(text).toContain('fi:t1.outputs/lamp-2.md');
});

// proves: compact.successes
test('attachments of the user take precedence over closed plans, even in a small memory', () => {
  const sent = {
    ref: 'fi:t1.user.attachments/the-lamps-of-the-old-harbour-in-2026.csv',
    text: 'text/csv | 48.2 kB',
  };
  const long = (n: number): MemoryRow => ({ ref: `t${n}`, text: 'the lamps were lit '.repeat(9) });
  const turns = Array.from({ length: 9 }, (_, n) => long(n));
  const plans = [{ ref: 'ar:plan.latest:plan:turn_1:1', text: 'replaced, 0 of 3 done' }];
  const { files } = fitRows({ ...noRows, turns, plans, files: [sent] }, 90);
  expect(files.map(({ ref }) => ref)).toEqual([sent.ref]);
});
