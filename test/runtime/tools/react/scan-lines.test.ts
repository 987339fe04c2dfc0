import { expect, test } from 'vitest';
import { Cancelled, Work } from '../../../../runtime/base/signal.ts';
import { createPacer, scanLines } from '../../../../runtime/tools/react/rg/scan-lines.ts';
import { toRegex } from '../../../../runtime/tools/text/regex.ts';
import { patient } from '../../../tools/machine-speed.ts';

const signal = AbortSignal.timeout(patient(20_000));
const never = { over: false, pause: async () => undefined };

function atOf(pattern: string) {
  const regex = toRegex(pattern);
  if (!regex.ok) throw new Error(regex.because);
  return regex.search;
}

test('matching lines are returned up to a limit, shortened, with context lines', async () => {
  const lines = ['xaaaaaaaaaaaaaaa', 'b', 'xa', 'xa'];
  const request = {
    search: atOf('^xa'),
    charsSearched: 1_000,
    contextLines: 0,
    matchesMax: 2,
    lineChars: 10,
  };
  expect(await scanLines(lines, request, never)).toEqual([
    { line: 1, preview: 'xaaaaaaaaa', context: [] },
    { line: 3, preview: 'xa', context: [] },
  ]);
  const around = await scanLines(lines, { ...request, contextLines: 1, matchesMax: 1 }, never);
  expect(around).toMatchObject([{ context: ['xaaaaaaaaa', 'b'] }]);
});

test('only the requested number of characters of a line is searched', async () => {
  const seen: number[] = [];
  const search = ({ length }: string) => seen.push(length) * 0 - 1;
  const request = { search, charsSearched: 10, contextLines: 0, matchesMax: 5, lineChars: 5 };
  expect(await scanLines(['x'.repeat(50), 'short'], request, never)).toEqual([]);
  expect(seen).toEqual([10, 5]);
});

// proves: tools.rg-linear
test('patterns that explode elsewhere take time linear in the text', () => {
  const text = `${'a'.repeat(200_000)}!`;
  const started = process.cpuUsage().user;
  for (const pattern of ['^(a|a)*$', '(a+)+$', '(.*a){12}x', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
    expect(atOf(pattern)(text)).toBe(-1);
  }
  expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
});

test('an unsupported pattern is refused with the reason', () => {
  expect(toRegex('(')).toMatchObject({ ok: false });
  expect(JSON.stringify(toRegex('(?=a)b'))).toContain('look-around');
  expect(JSON.stringify(toRegex('(a)\\1'))).toContain('back-references');
  expect(toRegex('((a{1000}){1000}){1000}').ok).toBe(false);
});

test('a search stops when its time is up, and at once when it is cancelled', async () => {
  const pace = createPacer({ signal, deadlineMs: -1 });
  const request = {
    search: () => 0,
    charsSearched: 1_000,
    contextLines: 0,
    matchesMax: 5,
    lineChars: 10,
  };
  expect(await scanLines(['a'], request, pace)).toEqual([]);
  using work = new Work(signal);
  const stopped = createPacer({ signal: work.signal, deadlineMs: 10_000 });
  const endless = Array.from({ length: 1_000_000 }, () => 'b');
  const running = scanLines(endless, { ...request, search: atOf('^a+$') }, stopped);
  work.stop('steer');
  await expect(running).rejects.toBeInstanceOf(Cancelled);
});
