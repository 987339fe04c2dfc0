import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  ask,
  defineAgent,
  defineBundle,
  defineHook,
  defineTool,
  refuse,
} from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';
import { bundleWith, call, deferred, done, ended, type House, ran, seen } from './hooks-kit.ts';

async function resultOf(hook: House, { tool = 'crm.find' } = {}) {
  const asked = { call: { tool, input: { name: 'Ann' } } };
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model: [asked, done] });
  const turn = await runtime.send('Go');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Done.' });
  await ended.promise;
  const blocks = seen;
  const results = blocks.filter(({ type }) => type === 'react.tool.result');
  expect(results).toHaveLength(1);
  const notices = blocks.filter(({ type }) => type === 'react.notice');
  const asked2 = blocks.find(({ type }) => type === 'react.tool.call');
  return {
    result: results[0]?.data,
    notices,
    call: asked2?.data,
    prompt: runtime.model.requests[1]?.text,
  };
}

const down: () => never = () => {
  throw new Error('policy store down');
};

test('a guard that refuses a tool leaves one result with its code, and nothing ran', async () => {
  const { result, prompt } = await resultOf({
    guard: {
      tool: ({ tool }) =>
        tool === 'crm.find' ? refuse('closed', 'The CRM is closed.') : undefined,
    },
  });
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'closed', message: 'The CRM is closed.' },
  });
  expect(prompt).toContain('The CRM is closed.');
  expect(ran).toEqual([]);
});

const word = (() => 'no') as () => never;

test.for([
  { what: 'throws', tool: down, because: /policy store down/ },
  { what: 'answers with a word', tool: word, because: /must return nothing/ },
])('a guard that $what says no', async ({ tool, because }) => {
  const { result } = await resultOf({ guard: { tool } });
  expect(result).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(JSON.stringify(result)).toMatch(because);
  expect(ran).toEqual([]);
});

test('a guard also checks calls through ctx.call', async () => {
  const { result } = await resultOf(
    { guard: { tool: ({ tool }) => (tool === 'crm.find' ? refuse('closed', 'No.') : undefined) } },
    { tool: 'crm.outer' },
  );
  expect(result).toMatchObject({ ok: false, error: { code: 'closed' } });
  expect(ran).toEqual([]);
});

test('guards check the output of earlier transformers, which is what is logged and run', async () => {
  const judged: unknown[] = [];
  const { result, call: asked } = await resultOf({
    transform: { tool: ({ input }) => ({ ...input, name: `${String(input['name'])} B.` }) },
    guard: { tool: ({ input }) => void judged.push(input) },
  });
  expect(judged).toEqual([{ name: 'Ann B.' }]);
  expect(asked).toMatchObject({ input: { name: 'Ann B.' }, admission: { ok: true } });
  expect(result).toMatchObject({ ok: true, ret: { name: 'Ann B.' } });
});

const nothing = (() => undefined) as () => never;
const unfit = () => ({ names: 7 });

test.for([
  { what: 'throws', transform: { tool: down } },
  { what: 'makes what does not fit the tool', transform: { tool: unfit } },
  { what: 'forgets its value', transform: { result: nothing } },
])(
  'a transformer that $what leaves the value as it was, with one notice',
  async ({ transform }) => {
    const { result, notices } = await resultOf({ transform });
    expect(result).toMatchObject({ ok: true, ret: { name: 'Ann', phone: '555' } });
    expect(notices.map(({ data }) => data)).toEqual([{ code: 'hook_failed' }]);
  },
);

test('a result is stored and read as the last transformer returned it', async () => {
  const { result, prompt } = await resultOf({
    transform: { result: (given) => ({ ...given, ret: 'redacted' }) },
  });
  expect(result).toMatchObject({ ok: true, ret: 'redacted' });
  expect(prompt).not.toContain('555');
});

test('a guard can require the approval of a person', async () => {
  const hook: House = {
    guard: { tool: ({ tool }) => (tool === 'crm.find' ? ask('Look Ann up?') : undefined) },
  };
  await using runtime = await openRuntime({ bundle: bundleWith(hook), model: [call, done] });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Go');
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.approval') continue;
    expect(event.data.title).toBe('Look Ann up?');
    await conversation.decide(event.data.request, { allow: true });
    break;
  }
  expect((await turn.done()).text).toBe('Done.');
  expect(ran).toEqual(['Ann']);
});

test('a call that guards allowed runs again after a crash without calling them again', async () => {
  let asked = 0;
  let runs = 0;
  const begun = deferred();
  const slow = defineTool({
    id: 'crm.slow',
    description: 'Is cut off once.',
    input: z.object({}),
    effects: 'none',
    run: async (_, ctx) => {
      runs += 1;
      if (runs > 1) return { runs };
      begun.resolve();
      return new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
      });
    },
  });
  const guard = defineHook({
    id: 'once',
    guard: {
      tool: () => {
        asked += 1;
        return asked > 1 ? refuse('twice', 'Asked twice.') : undefined;
      },
    },
  });
  const agents = [defineAgent({ id: 'main', instruction: 'Help.', tools: [slow] })];
  const bundle = defineBundle({ id: 'acme', version: '1', agents, hooks: [guard] });
  const model = [{ call: { tool: 'crm.slow', input: {} } }, done];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('Go');
  await begun.promise;
  await runtime.crash();
  expect((await turn.done()).text).toBe('Done.');
  expect({ asked, runs }).toEqual({ asked: 1, runs: 2 });
});
