import { once } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import type { Clock } from '../../../runtime/base/clock.ts';
import { callsInFlightMax, inputDepthMax } from '../../../supervisor/protocol/limits.ts';
import { call, hello, host, open, promiseSource, start, started } from './connection-kit.ts';

// proves: exec.frames, exec.journal, i6.granted-only, i6.not-believed

test('no call is performed before the program was sent', async () => {
  const executor = open();
  executor.say(hello, call('1'));
  await expect(executor.served.ended).rejects.toMatchObject({ code: 'EXEC_PROTOCOL' });
  expect(executor.events).toEqual([]);
});

test('another version is refused, and so is a second hello', async () => {
  for (const words of [[{ type: 'hello', version: 1 }], [hello, hello]]) {
    const executor = open();
    executor.say(...words);
    await expect(executor.served.ended).rejects.toMatchObject({ code: 'EXEC_PROTOCOL' });
  }
});

test('an executor that ends before its hello is a failure, not a wait', async () => {
  const executor = open();
  executor.end();
  await expect(executor.served.ready).rejects.toMatchObject({ code: 'EXEC_FAILED' });
});

test('a call of a tool that was not granted does not reach the host, other calls do', async () => {
  const executor = await started();
  executor.say(call('1', 'a.hidden'), call('2'), call('3', '__proto__'));
  expect(await executor.result('1')).toMatchObject({ error: { code: 'tool_not_visible' } });
  expect(await executor.result('2')).toEqual({ ok: true, ret: 'a.b' });
  expect(await executor.result('3')).toMatchObject({ error: { code: 'tool_not_visible' } });
  expect(executor.events.map(({ kind }) => kind)).toEqual(['tool_called', 'tool_finished']);
});

test('an input that is nested too deeply is refused, whatever its depth, and the next call is performed', async () => {
  const executor = await started();
  const input = (depth: number): unknown =>
    JSON.parse(`${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`);
  executor.say(
    { ...call('1'), input: input(inputDepthMax) },
    { ...call('2'), input: input(2_000) },
  );
  expect(await executor.result('1')).toMatchObject({ error: { code: 'invalid_input' } });
  expect(await executor.result('2')).toMatchObject({ error: { code: 'invalid_input' } });
  executor.say({ ...call('3'), input: input(inputDepthMax - 1) });
  expect(await executor.result('3')).toEqual({ ok: true, ret: 'a.b' });
  expect(executor.events.map(({ kind }) => kind)).toEqual(['tool_called', 'tool_finished']);
});

test('each id is performed once', async () => {
  const executor = await started();
  executor.say(call('1'));
  expect(await executor.result('1')).toEqual({ ok: true, ret: 'a.b' });
  executor.say(call('1'));
  expect(await executor.result('1')).toMatchObject({ error: { code: 'call_refused' } });
  expect(executor.events.filter(({ kind }) => kind === 'tool_called')).toHaveLength(1);
  expect(executor.served.callRegistry.entries.get('1')?.outcome).toBe('ok');
});

test('no call is performed after the deadline', async () => {
  let now = 0;
  const clock: Clock = { ...systemClock, monotonic: () => now };
  const executor = await started({ clock });
  now = start.timeoutMs + 1;
  executor.say(call('1'), { type: 'fetch_context', id: '2', path: 'ar:x' });
  executor.say({ type: 'fetch_file', id: '3', path: 'fi:x' });
  expect(await executor.result('1')).toMatchObject({ error: { code: 'timeout' } });
  expect(await executor.result('2')).toMatchObject({ ret: null, err: { code: 'timeout' } });
  expect(await executor.result('3')).toMatchObject({ ok: false, error: { code: 'timeout' } });
});

// proves: exec.handles
test('a file request uses an id once like a call, and emits no tool event', async () => {
  const executor = await started();
  const fetch = { type: 'fetch_file', id: '1', path: 'fi:x' };
  executor.say(fetch);
  expect(await executor.result('1')).toEqual({ ok: true, ret: 'fi:x' });
  executor.say(fetch);
  expect(await executor.result('1')).toMatchObject({ error: { code: 'call_refused' } });
  expect(executor.events).toEqual([]);
  expect(executor.served.callRegistry.entries.get('1')?.outcome).toBe('ok');
});

test('a call is registered before the host is called, and its outcome afterwards', async () => {
  const seen: unknown[] = [];
  const executor = await started({
    clock: { ...systemClock, monotonic: () => 5 },
    host: {
      ...host,
      callTool: async ({ id }) => {
        seen.push(structuredClone(executor.served.callRegistry.entries));
        return { ok: false, error: { code: 'no', message: id, retryable: false } };
      },
    },
  });
  executor.say(call('7'));
  await executor.result('7');
  const intent = { tool: 'a.b', atMs: 5 };
  expect(seen).toEqual([new Map([['7', intent]])]);
  expect(executor.served.callRegistry.entries).toEqual(
    new Map([['7', { ...intent, outcome: 'no' }]]),
  );
});

test('reading pauses while too many calls are in flight', async () => {
  let finish: () => void = () => undefined;
  let asked = 0;
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const executor = await started({
    host: {
      ...host,
      callTool: async () => {
        asked += 1;
        await held;
        return { ok: true, ret: null };
      },
    },
  });
  const more = callsInFlightMax + 10;
  executor.say(...Array.from({ length: more }, (_, index) => call(String(index))));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(asked).toBe(callsInFlightMax);
  finish();
  await executor.result(String(more - 1));
  expect(asked).toBe(more);
});

test('pending requests of a closed executor are not performed', async () => {
  const { promise: held, resolve: finish } = promiseSource();
  const asked: string[] = [];
  const executor = await started({
    host: {
      ...host,
      callTool: async ({ id }) => {
        asked.push(id);
        await held;
        return { ok: true, ret: null };
      },
    },
  });
  executor.say(...Array.from({ length: callsInFlightMax + 10 }, (_, index) => call(`${index}`)));
  await new Promise(setImmediate);
  executor.cutOff();
  finish(null);
  await executor.served.ended;
  await new Promise(setImmediate);
  expect(asked).toHaveLength(callsInFlightMax);
});

test('a large result arrives whole, also with texts that are not well-formed', async () => {
  const ret = ['ü😀'.repeat(1024 * 1024), { text: `\uD800${'x'.repeat(10_000)}` }];
  const executor = await started({ host: { ...host, callTool: async () => ({ ok: true, ret }) } });
  executor.say(call('1'));
  expect(await executor.result('1')).toEqual({ ok: true, ret });
});

test('calls are stopped when the executor is gone', async () => {
  const executor = await started({
    host: {
      ...host,
      callTool: async (_, { signal }) => {
        executor.end();
        await once(signal, 'abort');
        throw signal.reason;
      },
    },
  });
  executor.say(call('1'));
  await executor.served.ended;
  expect(executor.events.at(-1)).toEqual({ kind: 'tool_finished', id: '1', ok: false });
});

test('a defect of the host is not a result: it ends the connection', async () => {
  const executor = await started({
    host: {
      ...host,
      callTool: async () => {
        throw new TypeError('ours');
      },
    },
  });
  executor.say(call('1'));
  await expect(executor.served.ended).rejects.toThrow('ours');
});
