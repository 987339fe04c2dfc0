import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { hookTimeoutMs } from '../../../../runtime/sdk/contract/limits.ts';
import { ask, defineHook, defineTool, refuse } from '../../../../runtime/sdk/index.ts';
import { createExecHost } from '../../../../runtime/tools/exec/host/exec-host.ts';
import type { CallContext } from '../../../../runtime/tools/ports/tool.ts';
import { error, openWorld } from '../../tools/kit.ts';
import { bundleWith, compile, compiledTool } from '../kit.ts';

afterEach(() => {
  vi.useRealTimers();
});

type House = Omit<Parameters<typeof defineHook>[0], 'id'>;

const paid: number[] = [];
const pay = defineTool({
  id: 'bank.pay',
  description: 'Pays.',
  input: z.object({ cents: z.number() }),
  effects: 'keyed',
  run: ({ cents }) => {
    paid.push(cents);
    return { cents };
  },
});

function payWith(...hooks: readonly House[]) {
  paid.length = 0;
  return compiledTool(pay, {
    more: { hooks: hooks.map((hook, n) => defineHook({ id: `h-${n}`, ...hook })) },
  });
}

async function program(hook: House) {
  const tool = await payWith(hook);
  const world = await openWorld();
  const context: CallContext = await world.contextOf(tool, {});
  const ids = { next: (prefix: string) => `${prefix}_of_program` };
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const host = createExecHost({ context, granted: [tool], ids, clock });
  const call = (cents: number, id = `c${cents}`) =>
    host.callTool(
      { id, tool: 'bank.pay', input: { cents }, reason: '' },
      { signal: context.signal },
    );
  return { call, begun: () => context.journal?.calls(), context, tool };
}

test("a program's call that a guard refuses does not start", async () => {
  const { call, begun } = await program({
    guard: {
      tool: ({ input }) => (Number(input['cents']) > 5 ? refuse('much', 'Too much.') : undefined),
    },
  });
  expect(await call(9)).toMatchObject({ ok: false, error: { code: 'much' } });
  expect(await call(1)).toMatchObject({ ok: true, ret: { cents: 1 } });
  expect(paid).toEqual([1]);
  expect(await begun()).toMatchObject([{ id: 'c1' }]);
});

test("a program's call is stored and run with the transformed input", async () => {
  const { call, begun } = await program({
    transform: { tool: ({ input }) => ({ cents: Number(input['cents']) * 2 }) },
  });
  expect(await call(2)).toMatchObject({ ok: true, ret: { cents: 4 } });
  expect(paid).toEqual([4]);
  expect(await begun()).toMatchObject([{ id: 'c2', input: '{"cents":4}' }]);
});

test('a guard that asks for approval refuses where nobody can be asked', async () => {
  const { call } = await program({ guard: { tool: () => ask('Pay?') } });
  expect(await call(1)).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(paid).toEqual([]);
});

test('a guard that times out refuses', async () => {
  const tool = await payWith({ guard: { tool: () => new Promise<undefined>(() => undefined) } });
  const world = await openWorld();
  const context = await world.contextOf(tool, { cents: 1 });
  vi.useFakeTimers();
  const admitting = tool.admit?.({ cents: 1 }, context);
  await vi.advanceTimersByTimeAsync(hookTimeoutMs);
  expect(await admitting).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(JSON.stringify(await admitting)).toMatch(/h-0.*guard\.tool.*15,000 ms/);
});

test('hooks run in order, and the first refusal wins', async () => {
  const asked: string[] = [];
  const saying = (name: string, no = false): House => ({
    transform: {
      tool: ({ input }) => {
        asked.push(`transform ${name}`);
        return { cents: Number(input['cents']) + 1 };
      },
    },
    guard: {
      tool: ({ input }) => {
        asked.push(`guard ${name} ${String(input['cents'])}`);
        return no ? refuse(name, 'No.') : undefined;
      },
    },
  });
  const tool = await payWith(saying('one'), saying('two', true), saying('three', true));
  const world = await openWorld();
  expect(error(await world.perform(tool, { cents: 0 }))).toMatchObject({ code: 'two' });
  expect(asked).toEqual([
    ...['transform one', 'transform two', 'transform three'],
    ...['guard one 3', 'guard two 3'],
  ]);
});

test('a guard cannot change the value it checks', async () => {
  const tool = await payWith({
    guard: {
      tool: ({ input }) => {
        Object.assign(input, { cents: 1_000 });
        return undefined;
      },
    },
  });
  await (await openWorld()).perform(tool, { cents: 1 });
  expect(paid).toEqual([1]);
});

test('a hook under an unknown key stops the load', async () => {
  const misspelt: object = { id: 'house', guard: { tools: () => undefined } };
  const bundle = bundleWith([pay], {
    hooks: [defineHook(misspelt as { id: string }), { id: 'x' }],
  });
  const failing = compile(bundle).then(() => '', String);
  expect(await failing).toMatch(
    /guard has an unknown key “tools”; did you mean tool[\s\S]*not made by defineHook/,
  );
});
