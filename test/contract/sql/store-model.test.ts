import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryTimelineStore } from '../../../runtime/adapters/memory/timeline-store.ts';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { runs } from '../../tools/runs.ts';
import { history, perform } from '../timeline-store/commands.ts';

const stillClock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
let store: TimelineStore & AsyncDisposable;

beforeAll(async () => {
  store = await openPgliteTimelineStore({ dir: undefined });
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

test('whatever is done to it, the SQL store says what the memory store says', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (commands) => {
      const tenant = randomIds.next('msg');
      const model = openMemoryTimelineStore({ clock: stillClock });
      const expected = await perform(model, commands, tenant);
      expect(await perform(store, commands, tenant)).toEqual(expected);
    }),
    runs(100),
  );
});

test('the histories reach every answer', async () => {
  const reached = new Set<string>();
  const tell = (value: unknown) => {
    if (typeof value === 'string') reached.add(value);
    if (typeof value !== 'object' || value === null) return;
    if ('status' in value) reached.add(String(value.status));
  };
  for (const commands of fc.sample(history, { numRuns: 2_000, seed: 7 })) {
    const model = openMemoryTimelineStore({ clock: stillClock });
    for (const said of await perform(model, commands, 't')) tell(said);
  }
  const accepted = ['started', 'queued', 'duplicate', 'conflict', 'refused', 'gone'];
  const appended = ['ok', 'deferred', 'moved', 'fenced', 'Defect'];
  const forked = ['forked', 'beyond', 'taken', 'erased'];
  expect([...reached].sort()).toEqual([...accepted, ...appended, ...forked].sort());
});
