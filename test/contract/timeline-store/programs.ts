import { expect, test } from 'vitest';
import { type ConversationKey, noTurn, toCallId } from '../../../runtime/timeline/ids.ts';
import type { JournalUpdate, Lease, ProgramCall } from '../../../runtime/timeline/ports/store.ts';
import { append, longMs, own, type StoreUnderTest, signal, started } from './kit.ts';

/** Calls of programs that run: kept until the program has its result. */
export function programsContract(open: () => StoreUnderTest): void {
  const program = toCallId('tc_program');
  const call = (id: string, more: Partial<ProgramCall> = {}): ProgramCall => ({
    id,
    tool: 'bank.pay',
    key: `k.${id}`,
    effects: 'keyed',
    ...more,
  });
  const say = (key: ConversationKey, { fence }: Lease, said: Partial<JournalUpdate>) =>
    open().store.journal(key, { fence, program, begun: [], ended: [], ...said }, { signal });
  const calls = (key: ConversationKey) => open().store.programCalls(key, program, { signal });
  const result = ({ row }: Lease) =>
    ({
      type: 'react.tool.result',
      turn: row.openTurn ?? noTurn,
      author: 'tool',
      call: program,
      data: { ok: true },
    }) as const;

  // proves: exec.in-doubt
  test('a later owner of the conversation finds what was begun, in its order, and what came of it', async () => {
    const { key, lease } = await started(open().store);
    const begun = [call('2'), call('1', { effects: 'unkeyed', input: '{"n":1}' })];
    expect(await say(key, lease, { begun })).toBe(true);
    const ended = [{ id: '2', outcome: 'ok' }];
    expect(await say(key, lease, { begun: [call('3')], ended })).toBe(true);
    await open().store.release(key, { fence: lease.fence, signal });
    await own(open().store, key);
    expect(await calls(key)).toEqual([call('2', { outcome: 'ok' }), begun[1], call('3')]);
  });

  // proves: i2.one-writer, i2.no-late-effects
  test('an owner whose lease was taken over begins nothing any more', async () => {
    const { key, lease } = await started(open().store);
    await open().store.release(key, { fence: lease.fence, signal });
    expect(await say(key, lease, { begun: [call('1')] })).toBe(false);
    const next = await own(open().store, key);
    expect(await say(key, lease, { begun: [call('1')] })).toBe(false);
    expect(await calls(key)).toEqual([]);
    expect(await say(key, next, { begun: [call('1')] })).toBe(true);
  });

  test('with its result in the log a program is forgotten, and begins nothing any more', async () => {
    const { key, lease } = await started(open().store);
    await say(key, lease, { begun: [call('1')] });
    const other = {
      fence: lease.fence,
      program: toCallId('tc_other'),
      begun: [call('1')],
      ended: [],
    };
    await open().store.journal(key, other, { signal });
    await open().store.append(key, append(lease, { blocks: [result(lease)] }), { signal });
    expect(await calls(key)).toEqual([]);
    expect(await say(key, lease, { begun: [call('2')] })).toBe(false);
    expect(await calls(key)).toEqual([]);
    expect(await open().store.programCalls(key, toCallId('tc_other'), { signal })).toHaveLength(1);
  });

  test('the same words again change nothing', async () => {
    const { key, lease } = await started(open().store);
    const said = { begun: [call('1')] };
    await say(key, lease, said);
    await say(key, lease, { ended: [{ id: '1', outcome: 'no' }] });
    expect(await say(key, lease, said)).toBe(true);
    expect(await calls(key)).toEqual([call('1', { outcome: 'no' })]);
  });

  test('a program names its calls as it likes', async () => {
    const { key, lease } = await started(open().store);
    const names = ['a', 'a\0', '\ud800', '"', 'é'];
    const begun = names.map((id) => call(id, { input: '"\0\ud800"' }));
    expect(await say(key, lease, { begun })).toBe(true);
    await say(key, lease, { ended: [{ id: 'a\0', outcome: 'ok' }] });
    const kept = await calls(key);
    expect(kept.map(({ id }) => id)).toEqual(names);
    expect(kept.flatMap(({ id, outcome }) => (outcome ? [id] : []))).toEqual(['a\0']);
  });

  test('words said at the same time are all kept', async () => {
    const { key, lease } = await started(open().store);
    const many = Array.from({ length: 40 }, (_, index) => String(index));
    const kept = await Promise.all(many.map((id) => say(key, lease, { begun: [call(id)] })));
    expect(new Set(kept)).toEqual(new Set([true]));
    expect((await calls(key)).map(({ id }) => id).sort()).toEqual(many.sort());
    await expect(open().store.acquire(key, { worker: 'w', ttlMs: longMs, signal })).resolves.toBe(
      undefined,
    );
  });
}
