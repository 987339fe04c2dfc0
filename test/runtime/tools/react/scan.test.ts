import { expect, test } from 'vitest';
import { Cancelled, Work } from '../../../../runtime/base/signal.ts';
import { scan } from '../../../../runtime/tools/react/scan.ts';

const request = { contextLines: 0, matchesMax: 2, lineChars: 10 };
const evil = {
  ...request,
  pattern: '^(a|a)*$',
  files: [{ path: 'a', text: `${'a'.repeat(40)}!` }],
};
const signal = AbortSignal.timeout(20_000);

test('matching lines are found up to a number, shortened', async () => {
  const files = [
    { path: 'a', text: 'xaaaaaaaaaaaaaaa\nb\nxa' },
    { path: 'b', text: 'xa' },
  ];
  expect(await scan({ ...request, pattern: '^xa', files }, { signal, deadlineMs: 10_000 })).toEqual(
    {
      hits: [
        {
          path: 'a',
          matches: [
            { line: 1, preview: 'xaaaaaaaaa', context: [] },
            { line: 3, preview: 'xa', context: [] },
          ],
        },
      ],
      matches: 2,
      full: true,
    },
  );
});

test('a pattern that explodes is out of time, and its thread is gone', async () => {
  expect(await scan(evil, { signal, deadlineMs: 300 })).toBeUndefined();
});

test('a steer ends it at once', async () => {
  using work = new Work(signal);
  const running = scan(evil, { signal: work.signal, deadlineMs: 15_000 });
  work.stop('steer');
  await expect(running).rejects.toBeInstanceOf(Cancelled);
});
