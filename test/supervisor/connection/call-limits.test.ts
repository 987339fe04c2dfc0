import { expect, test } from 'vitest';
import { manualClock } from '../../../runtime/testing/clock.ts';
import {
  heldBytesMax,
  inputNamesMax,
  inputValuesMax,
  sentBytesAtOnce,
} from '../../../supervisor/protocol/limits.ts';
import { call, host, promiseSource, started } from './connection-kit.ts';

// proves: exec.budget

test('the input of a refused call is not parsed', async () => {
  const executor = await started();
  const frame = '{"type":"tool_call","id":"1","tool":"a.hidden","reason":"","input":{"a":nothing}}';
  executor.write(frame);
  expect(await executor.result('1')).toMatchObject({ error: { code: 'tool_not_visible' } });
  executor.write(frame.replaceAll('"1"', '"2"').replace('a.hidden', 'a.b'));
  await expect(executor.served.ended).rejects.toMatchObject({ code: 'EXEC_PROTOCOL' });
});

test('an input with too many values or names is refused, and one at the limit is performed', async () => {
  const executor = await started();
  const rows = (count: number) => Array.from({ length: count }, () => ({}));
  const names = (count: number) => Object.fromEntries(rows(count).map((_, n) => [`name ${n}`, n]));
  executor.say({ ...call('1'), input: { rows: rows(inputValuesMax) } });
  executor.say({ ...call('2'), input: { rows: rows(inputValuesMax / 2 - 10) } });
  executor.say({ ...call('3'), input: names(2 * inputNamesMax) });
  executor.say({ ...call('4'), input: names(inputNamesMax - 10) });
  expect(await executor.result('1')).toMatchObject({ error: { code: 'invalid_input' } });
  expect(await executor.result('2')).toEqual({ ok: true, ret: 'a.b' });
  expect(await executor.result('3')).toMatchObject({ error: { code: 'invalid_input' } });
  expect(await executor.result('4')).toEqual({ ok: true, ret: 'a.b' });
});

test('a message with a duplicate member is refused', async () => {
  const executor = await started();
  executor.write(
    '{"type":"tool_call","id":"1","tool":"a.b","t\\u006fol":"a.c","reason":"","input":{}}',
  );
  await expect(executor.served.ended).rejects.toMatchObject({ code: 'EXEC_PROTOCOL' });
});

test('large calls in flight keep later calls waiting in the program', async () => {
  const { promise: held, resolve: finish } = promiseSource();
  let asked = 0;
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
  const text = 'x'.repeat(4 * 1024 * 1024);
  const fits = heldBytesMax / text.length;
  const more = Array.from({ length: fits + 4 }, (_, n) => ({ ...call(`${n}`), input: { text } }));
  executor.say(...more);
  while (asked < fits) await new Promise(setImmediate);
  for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
  expect(asked).toBe(fits);
  finish(null);
  await executor.result(`${more.length - 1}`);
});

test('a program that exceeds its rate is read again after a delay', async () => {
  const clock = manualClock('2026-01-01T00:00:00.000Z');
  const executor = await started({ clock });
  const text = 'x'.repeat(4 * 1024 * 1024);
  const burst = sentBytesAtOnce / text.length;
  const all = Array.from({ length: burst + 1 }, (_, n) => ({ ...call(`${n}`), input: { text } }));
  executor.say(...all);
  await executor.result(`${burst - 1}`);
  for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
  expect(executor.served.callRegistry.entries.size).toBe(burst);
  await clock.advance(1_000);
  expect(await executor.result(`${burst}`)).toEqual({ ok: true, ret: 'a.b' });
});
