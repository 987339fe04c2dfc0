import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { silentLog } from '../../../runtime/base/log.ts';
import { openReaper } from '../../../supervisor/cell/reaper.ts';

// proves: exec.reaped
test('a failed round is logged, and the next one still runs', async () => {
  const rounds = new EventEmitter();
  const logged: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void logged.push(text) };
  let count = 0;
  const reap = async () => {
    count += 1;
    rounds.emit('round', count);
    if (count === 1) throw new Error('the engine is away');
    return 0;
  };
  await using reaper = openReaper({ everyMs: 1, log, reap });
  await reaper.first;
  expect(logged).toEqual(['orphans not removed']);
  await once(rounds, 'round');
  expect(count).toBeGreaterThan(1);
});

test('closing aborts the current round without logging it', async () => {
  const logged: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void logged.push(text) };
  const reap = async ({ signal }: { signal: AbortSignal }) => {
    await once(signal, 'abort');
    signal.throwIfAborted();
    return 1;
  };
  const reaper = openReaper({ everyMs: 60_000, log, reap });
  await reaper[Symbol.asyncDispose]();
  await reaper.first;
  expect(logged).toEqual([]);
});
