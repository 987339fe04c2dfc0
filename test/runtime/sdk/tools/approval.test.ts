import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { AnyTool } from '../../../../runtime/sdk/define/context.ts';
import { ask, defineSecret, defineTool, external, refuse } from '../../../../runtime/sdk/index.ts';
import { considerCall } from '../../../../runtime/tools/calls/call-admission.ts';
import { runCall } from '../../../../runtime/tools/calls/run-call.ts';
import type { CallContext } from '../../../../runtime/tools/ports/tool.ts';
import { error, openWorld, ret } from '../../tools/kit.ts';
import { bundleWith, type Compiling, compile, compiledTool } from '../kit.ts';

const pay = defineTool({
  id: 'bank.pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: ({ amount }) => {
    if (amount > 1_000) return refuse('too_much', 'Never.');
    return amount > 10
      ? ask(`Pay ${amount}?`, { detail: 'to Bob', remember: 'turn', timeoutMs: 5_000 })
      : undefined;
  },
  run: ({ amount }) => `paid ${amount}`,
});

const locate = defineTool({
  id: 'browser.locate',
  description: 'Where the user is.',
  input: z.object({ exact: z.boolean().default(false), zone: z.string() }),
  output: z.object({ lat: z.number() }),
  preset: { zone: () => 'eu' },
  run: external({ timeoutMs: 9_000 }),
});

async function consider(tool: AnyTool, input: JsonObject, options: Compiling = {}) {
  const world = await openWorld();
  const compiled = await compiledTool(tool, options);
  const context = await world.contextOf(compiled, input);
  return (await considerCall({ tool: compiled, input, context })).considered;
}

async function run(tool: AnyTool, input: JsonObject, more: Pick<CallContext, 'answer'> = {}) {
  const world = await openWorld();
  const compiled = await compiledTool(tool);
  const context = await world.contextOf(compiled, input);
  const settled = { ...context, approved: context.key, ...more };
  return runCall({ tool: compiled, input, context: settled, blobs: world.blobs });
}

// proves: approval.asked
test('a tool can ask a person, refuse, or allow a call', async () => {
  expect(await consider(pay, { amount: 5 })).toEqual({ ok: true });
  expect(await consider(pay, { amount: '50' })).toEqual({
    ok: true,
    ask: { title: 'Pay 50?', detail: 'to Bob', remember: 'turn', timeoutMs: 5_000 },
  });
  expect(await consider(pay, { amount: 5_000 })).toMatchObject({
    ok: false,
    error: { code: 'too_much', message: 'Never.' },
  });
  expect(await consider(pay, { amount: 'much' })).toEqual({ ok: true });
  expect(await consider(pay.with({ approval: 'never' }), { amount: 50 })).toEqual({ ok: true });
  expect(await consider(pay.with({ approval: 'always' }), { amount: 1 })).toEqual({
    ok: true,
    ask: { title: 'Run bank.pay?', remember: 'once', timeoutMs: 120_000 },
  });
});

test('an approval function that throws refuses with its message', async () => {
  const broken = pay.with({
    approval: () => {
      throw new Error('no idea');
    },
  });
  expect(await consider(broken, { amount: 1 })).toMatchObject({
    ok: false,
    error: { code: 'tool_failed', message: 'no idea' },
  });
});

test('an allowed call runs without a second question, and changed input is checked again', async () => {
  expect(ret(await run(pay, { amount: 50 }))).toBe('paid 50');
  expect(error(await run(pay, { amount: 'much' }))?.code).toBe('invalid_input');
});

// proves: approval.nested
test('a call that needs approval is denied inside a program or another tool', async () => {
  const outer = defineTool({
    id: 'bank.twice',
    description: 'Pays twice.',
    input: z.object({}),
    run: (_, ctx) => ctx.call(pay, { amount: 50 }),
  });
  const where = defineTool({
    id: 'bank.where',
    description: 'Looks.',
    input: z.object({}),
    run: (_, ctx) => ctx.call(locate, { zone: 'x' }),
  });
  const { agents } = await compile(bundleWith([outer, where, pay, locate]));
  for (const id of ['bank.twice', 'bank.where']) {
    const world = await openWorld();
    const tool = agents[0].tools.find(({ spec }) => spec.id === id);
    if (!tool) throw new Error(`${id} is not there`);
    const context = await world.contextOf(tool, {});
    const performed = await runCall({
      tool,
      input: {},
      context: { ...context, approved: context.key },
      blobs: world.blobs,
    });
    expect(error(performed)?.code).toBe('denied');
    expect(error(performed)?.message).toContain('Call it as an action of its own');
  }
});

// proves: external.performed
test('a client gets the parsed input with its presets, and its answer is checked', async () => {
  expect(await consider(locate, {})).toEqual({
    ok: true,
    external: { input: { exact: false, zone: 'eu' }, timeoutMs: 9_000 },
  });
  const answer = { ok: true, ret: { lat: 52 } } as const;
  expect(ret(await run(locate, {}, { answer }))).toEqual({ lat: 52 });
  const wrong = { ok: true, ret: { lat: 'north' } } as const;
  const unfit = error(await run(locate, {}, { answer: wrong }));
  expect(unfit?.code).toBe('tool_failed');
  expect(unfit?.message).toContain('lat');
  const no = { ok: false, error: { code: 'not_allowed', message: 'The user said no.' } } as const;
  expect(error(await run(locate, {}, { answer: no }))).toMatchObject(no.error);
  expect(error(await run(locate, {}))?.code).toBe('denied');
});

test('secrets are masked in questions and in client calls', async () => {
  const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'x' });
  const tell = defineTool({
    id: 'bank.tell',
    description: 'Tells.',
    input: z.object({ word: z.string() }),
    approval: async (_, ctx) => ask(`Tell ${await ctx.secrets.get(key)}?`),
    run: external(),
  });
  const options = { more: { secrets: [key] }, host: { secret: async () => 'open-sesame' } };
  const considered = await consider(tell, { word: 'open-sesame' }, options);
  expect(JSON.stringify(considered)).not.toContain('open-sesame');
  expect(JSON.stringify(considered)).toMatch(/"title":"Tell /);
});
