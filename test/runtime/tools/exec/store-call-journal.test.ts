import { addAbortListener } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Fault } from '../../../../runtime/base/fault.ts';
import { Cancelled } from '../../../../runtime/base/signal.ts';
import { toCallId, toConversationKey } from '../../../../runtime/timeline/ids.ts';
import type { JournalUpdate, ProgramCall } from '../../../../runtime/timeline/ports/store.ts';
import { createStoreCallJournal } from '../../../../runtime/tools/exec/host/store-call-journal.ts';
import { journalCloseMs } from '../../../../runtime/tools/exec/limits.ts';
import { patient } from '../../../tools/machine-speed.ts';

// proves: exec.in-doubt

const { signal } = new AbortController();

type Parts = { readonly assertOwner?: () => void; readonly signal?: AbortSignal };

/** A store whose writes end when the test releases them, or with their signal. */
function openPlace(parts: Parts = {}) {
  const writes: { said: JournalUpdate; end: (kept: boolean | Error) => void }[] = [];
  const journal = (_: number, said: JournalUpdate, waits: { readonly signal: AbortSignal }) =>
    new Promise<boolean>((resolve, reject) => {
      addAbortListener(waits.signal, () => reject(waits.signal.reason));
      const end = (kept: boolean | Error) => (kept instanceof Error ? reject(kept) : resolve(kept));
      writes.push({ said, end });
    });
  const store = { journal, programCalls: async () => [] };
  const place = {
    store,
    key: toConversationKey(7),
    fence: 3,
    program: toCallId('tc_p'),
    assertOwner: () => undefined,
    signal,
  };
  return { writes, journal: createStoreCallJournal({ ...place, ...parts }) };
}

const call = (id: string): ProgramCall => ({ id, tool: 'a.b', key: `k.${id}`, effects: 'keyed' });
const ids = ({ said }: { said: JournalUpdate }) => said.begun.map(({ id }) => id);

test('calls that begin during a write go into the next write together', async () => {
  const { writes, journal } = openPlace();
  const first = journal.begin(call('1'));
  await setImmediate();
  const rest = ['2', '3', '4'].map((id) => journal.begin(call(id)));
  await setImmediate();
  expect(writes.map(ids)).toEqual([['1']]);
  writes[0]?.end(true);
  await first;
  await setImmediate();
  expect(writes.map(ids)).toEqual([['1'], ['2', '3', '4']]);
  expect(writes[1]?.said).toMatchObject({ fence: 3, program: toCallId('tc_p'), ended: [] });
  writes[1]?.end(true);
  await Promise.all(rest);
});

// proves: i2.no-late-effects
test('if a write fails, none of its calls begins, and the next write is independent', async () => {
  const { writes, journal } = openPlace();
  const lost = ['1', '2'].map((id) => journal.begin(call(id)).catch((error: unknown) => error));
  await setImmediate();
  const later = journal.begin(call('3'));
  writes[0]?.end(new Fault('STORE_UNAVAILABLE'));
  for (const error of await Promise.all(lost)) expect(error).toBeInstanceOf(Fault);
  await setImmediate();
  writes[1]?.end(true);
  await later;
});

test('nothing begins after the lease is lost', async () => {
  const { writes, journal } = openPlace();
  const begun = journal.begin(call('1'));
  await setImmediate();
  writes[0]?.end(false);
  await expect(begun).rejects.toMatchObject({ code: 'LEASE_LOST' });
  const late = openPlace({
    assertOwner: () => {
      throw new Fault('LEASE_LOST', { conversation: 7 });
    },
  });
  const other = late.journal.begin(call('1'));
  await setImmediate();
  late.writes[0]?.end(true);
  await expect(other).rejects.toMatchObject({ code: 'LEASE_LOST' });
});

test('an outcome is written with the next call, or soon on its own', async () => {
  const { writes, journal } = openPlace();
  journal.end('1', 'ok');
  const begun = journal.begin(call('2'));
  await setImmediate();
  expect(writes[0]?.said).toMatchObject({
    begun: [call('2')],
    ended: [{ id: '1', outcome: 'ok' }],
  });
  writes[0]?.end(true);
  await begun;
  journal.end('2', 'ok');
  await vi.waitFor(() => expect(writes).toHaveLength(2), patient(20_000));
  expect(writes[1]?.said).toMatchObject({ begun: [], ended: [{ id: '2' }] });
  writes[1]?.end(true);
  await journal[Symbol.asyncDispose]();
});

// proves: exec.journal-closed
test('closing writes the outcomes that are still waiting', async () => {
  const { writes, journal } = openPlace();
  journal.end('1', 'ok');
  const closed = journal[Symbol.asyncDispose]();
  await setImmediate();
  expect(writes.map(({ said }) => said.ended)).toEqual([[{ id: '1', outcome: 'ok' }]]);
  writes[0]?.end(true);
  await closed;
});

// proves: exec.journal-closed
test('an outcome whose write was aborted is written on closing', async () => {
  const stopped = new AbortController();
  const { writes, journal } = openPlace({ signal: stopped.signal });
  journal.end('1', 'ok');
  const begun = journal.begin(call('2')).catch((error: unknown) => error);
  await setImmediate();
  stopped.abort(new Cancelled('shutdown'));
  expect(await begun).toBeInstanceOf(Cancelled);
  const closed = journal[Symbol.asyncDispose]();
  await setImmediate();
  expect(writes[1]?.said).toMatchObject({ begun: [], ended: [{ id: '1', outcome: 'ok' }] });
  writes[1]?.end(true);
  await closed;
});

// proves: exec.journal-closed
test.each(['is under way', 'is made at closing'])(
  'closing ends within its time limit when the write that %s does not return',
  async (which) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { writes, journal } = openPlace();
      const begun =
        which === 'is under way' ? journal.begin(call('1')).catch(() => undefined) : undefined;
      journal.end('2', 'ok');
      await setImmediate();
      const closed = journal[Symbol.asyncDispose]();
      await vi.advanceTimersByTimeAsync(journalCloseMs);
      await Promise.all([closed, begun]);
      expect(writes.length).toBeGreaterThan(0);
    } finally {
      vi.useRealTimers();
    }
  },
);
