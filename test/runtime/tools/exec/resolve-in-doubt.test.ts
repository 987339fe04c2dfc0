import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import type { ProgramCall } from '../../../../runtime/timeline/ports/store.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import {
  outcomesText,
  resolveInDoubt,
} from '../../../../runtime/tools/exec/host/resolve-in-doubt.ts';
import { recoverProgram } from '../../../../runtime/tools/exec/run/recover-program.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { openWorld } from '../kit.ts';
import { code, envelope, execTool } from './kit.ts';

// proves: exec.in-doubt, exec.killed

function bank(effects: 'keyed' | 'unkeyed', paid: (key: string, n: number) => void): Tool {
  return createTool({
    id: effects === 'keyed' ? 'bank.pay' : 'bank.post',
    kind: 'bundle',
    description: 'has an effect',
    effects,
    input: z.object({ n: z.number() }),
    run: async ({ n }, { key, services }) => {
      paid(key, n);
      await services.addSources([{ url: `https://bank.example/${n}`, title: 'receipt' }]);
      return { result: { ok: true, ret: n } };
    },
  });
}

const call = (id: string, more: Partial<ProgramCall> = {}): ProgramCall => ({
  id,
  tool: 'bank.pay',
  key: `key.${id}`,
  effects: 'keyed',
  input: `{"n":${id}}`,
  ...more,
});
const post = { tool: 'bank.post', effects: 'unkeyed' } as const;

/** A program whose worker died after recording these outcomes of its calls. */
async function lost(calls: readonly ProgramCall[], tools: readonly Tool[]) {
  const world = await openWorld();
  const tool = bank('unkeyed', () => undefined);
  const context = await world.contextOf(
    tool,
    {},
    { call: toCallId('tc_program'), programs: { tools } },
  );
  for (const { outcome, ...begun } of calls) {
    const began = context.journal.begin(begun);
    await began;
    if (outcome !== undefined) context.journal.end(begun.id, outcome);
  }
  await context.journal.begin(call('99', { tool: 'bank.gone' }));
  const parts = { ids: randomIds, signal: context.signal };
  return { world, context, outcome: await recoverProgram(context, parts) };
}

test('a lost program is not run again: its keyed calls are repeated, the others are reported', async () => {
  const made: string[] = [];
  const tools = [
    bank('keyed', (key, n) => made.push(`${key} ${n}`)),
    bank('unkeyed', () => expect.unreachable()),
  ];
  const calls = [call('1', { outcome: 'ok' }), call('2'), call('3', post)];
  const { outcome, context } = await lost(calls, tools);
  expect(made).toEqual(['key.2 2']);
  expect(outcome.result).toMatchObject({
    ok: false,
    error: { code: 'interrupted', retryable: false },
    ret: { in_doubt: ['3', '99'] },
  });
  expect(outcome.preview).toMatch(
    /In doubt:.*\n- bank\.post \{"n":3\} \(call 3, unkeyed\)\n- bank\.gone/,
  );
  expect(outcome.preview).toMatch(/took effect once:\n- bank\.pay \{"n":2\} \(call 2, keyed\): ok/);
  expect(outcome.preview).toMatch(
    /do not repeat them:\n- bank\.pay \{"n":1\} \(call 1, keyed\): ok/,
  );
  expect(outcome.blocks).toMatchObject([
    {
      type: 'react.notice',
      data: { code: 'in_doubt', total: 2, calls: [{ id: '3' }, { id: '99' }] },
    },
  ]);
  expect(context.services.take().map(({ type }) => type)).toEqual(['source.row']);
});

test('a call is not repeated if its tool is no longer keyed or its input was too long to keep', async () => {
  const tools = [
    { ...bank('unkeyed', () => expect.unreachable()) },
    bank('keyed', () => expect.unreachable()),
  ];
  const { input: _, ...long } = call('1');
  const { outcome } = await lost([long, call('2', { tool: 'bank.post' })], tools);
  expect(outcome.result.ret).toMatchObject({ in_doubt: ['1', '2', '99'] });
});

test('a steer stops the repetition, and calls in doubt are still reported', async () => {
  const world = await openWorld();
  const tools = [bank('keyed', () => expect.unreachable())];
  const [tool] = tools;
  if (!tool) throw new Error('no tool');
  const context = await world.contextOf(
    tool,
    {},
    { call: toCallId('tc_program'), programs: { tools } },
  );
  await context.journal.begin(call('1'));
  const signal = AbortSignal.abort();
  const outcome = await recoverProgram(context, { ids: randomIds, signal });
  expect(outcome.preview).toContain('(call 1, keyed)');
});

test('a program that was lost before it had any effect may be run again', async () => {
  const world = await openWorld();
  const tool = bank('unkeyed', () => undefined);
  const context = await world.contextOf(tool, {}, { call: toCallId('tc_program') });
  const parts = { ids: randomIds, signal: context.signal };
  const outcome = await recoverProgram(context, parts);
  expect(outcome.result).toMatchObject({ ok: false, error: { retryable: true } });
  expect(outcome.blocks).toEqual([]);
});

test('the list of calls for the model is limited', async () => {
  const many = Array.from({ length: 30 }, (_, n) => call(String(n), { input: 'x'.repeat(500) }));
  const world = await openWorld();
  const context = await world.contextOf(
    bank('keyed', () => undefined),
    {},
  );
  const nested = {
    context,
    granted: [],
    ids: randomIds,
    signal: context.signal,
  };
  const shown = outcomesText(await resolveInDoubt(many, nested));
  expect(shown).toMatch(/x{120}… \(call 19, keyed\)\n- and 10 more$/);
  expect(shown).not.toMatch(/x{121}/);
});

// proves: exec.not-collected
test('the result of a program whose files are lost lists its effects', async () => {
  const world = await openWorld();
  const paid: string[] = [];
  const tool = execTool(async function* (request, host, signal) {
    const pay = { id: 'c1', tool: 'bank.post', input: { n: 7 }, reason: '' };
    await host.callTool(pay, { signal });
    const error = { code: 'not_collected', message: 'its files could not be collected' };
    yield envelope(request, { error, report_text: 'Status: error' });
  });
  const tools = [bank('unkeyed', (key) => paid.push(key))];
  const performed = await world.perform(
    tool,
    {},
    { code, call: toCallId('tc_1'), programs: { tools } },
  );
  expect(paid).toHaveLength(1);
  const calls = [{ id: 'c1', ok: true }];
  expect(performed.result).toMatchObject({ ret: { calls_total: 1, calls } });
  expect(performed.preview).toContain('Done before the end; do not repeat them');
  expect(performed.result).toMatchObject({ error: { retryable: false } });
});

// proves: exec.not-collected
test('a sandbox that fails does not leave a journal open', async () => {
  const world = await openWorld();
  const paid: string[] = [];
  const defect = new TypeError('ours');
  const tool = execTool(async function* (request, host, signal) {
    const pay = { id: 'c1', tool: 'bank.post', input: { n: 7 }, reason: '' };
    await host.callTool(pay, { signal });
    if (paid.length > 0) throw defect;
    yield envelope(request);
  });
  const tools = [bank('unkeyed', (key) => paid.push(key))];
  const context = await world.contextOf(
    tool,
    {},
    { code, call: toCallId('tc_1'), programs: { tools } },
  );
  const close = vi.spyOn(context.journal, Symbol.asyncDispose);
  await expect(tool.run({ contract: [] }, context)).rejects.toBe(defect);
  expect(close).toHaveBeenCalledOnce();
});
