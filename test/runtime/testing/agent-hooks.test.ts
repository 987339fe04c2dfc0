import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineHook,
  defineTool,
  refuse,
} from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

const pay = defineTool({
  id: 'bank.pay',
  description: 'Pays.',
  input: z.object({}),
  hint: 'Payments are slow on Fridays.',
  run: () => 'paid',
});
const careful = defineHook({
  id: 'careful',
  guard: { tool: ({ tool }) => (tool === 'bank.pay' ? refuse('closed', 'Not today.') : undefined) },
});
type Agent = Partial<Parameters<typeof defineAgent>[0]>;

function bundleOf(own: Agent, other: Agent = {}) {
  const some = { instruction: 'Help.', tools: [pay] };
  const agents = [
    defineAgent({ ...some, id: 'main', ...own }),
    defineAgent({ ...some, id: 'other', ...other }),
  ] as const;
  return defineBundle({ id: 'bank', version: '1', agents });
}
const script = [{ call: { tool: 'bank.pay' } }, { answer: 'Done.' }];

// proves: hooks.agent
test('the hooks of an agent judge its calls, and no other agent’s', async () => {
  const bundle = bundleOf({ hooks: [careful] });
  await using runtime = await openRuntime({ bundle, model: [...script, ...script] });
  const results = async (agent: string) => {
    const turn = await runtime.connect().conversation(undefined, { agent }).send('Pay');
    await turn.done();
    return runtime.model.requests.at(-1)?.text;
  };
  expect(await results('main')).toContain('Not today.');
  expect(await results('other')).toMatch(/\[TOOL RESULT c1\] ok/);
});

// proves: hooks.agent
test('hooks of the bundle run before those of the agent', async () => {
  const adding = (id: string) =>
    defineHook({
      id,
      transform: { reasoning: ({ hints }) => ({ hints: [...hints, `from ${id}`] }) },
    });
  const main = defineAgent({ id: 'main', instruction: 'x', hooks: [adding('own')] });
  const bundle = defineBundle({
    ...{ id: 'bank', version: '1', agents: [main] },
    hooks: [adding('shared')],
  });
  await using runtime = await openRuntime({ bundle, model: [{ answer: 'Done.' }] });
  await (await runtime.send('Go')).done();
  expect(runtime.model.requests[0]?.text).toContain('[HINTS]\n- from shared\n- from own');
});

// proves: hooks.hints
test('ANNOUNCE shows the hints of the agent and of its visible tools, at most twelve short ones', async () => {
  const many = defineHook({
    id: 'many',
    transform: {
      reasoning: ({ hints }) => ({
        hints: [...hints, 'long '.repeat(200), ...Array.from({ length: 20 }, () => 'x')],
      }),
    },
  });
  const bundle = bundleOf({ hint: 'Be quick.', hooks: [many] });
  await using runtime = await openRuntime({ bundle, model: [{ answer: 'Done.' }] });
  await (await runtime.send('Go')).done();
  const [, hints = ''] = runtime.model.requests[0]?.text.split('[HINTS]\n') ?? [];
  const rows = hints.split('\n').filter((row) => row.startsWith('- '));
  expect(rows.slice(0, 2)).toEqual(['- Be quick.', '- bank.pay: Payments are slow on Fridays.']);
  expect(rows).toHaveLength(12);
  expect(Math.max(...rows.map(({ length }) => length))).toBeLessThan(250);
});

// proves: hooks.hints
test('a hint may depend on the user, and a hint that fails is a notice', async () => {
  const bundle = bundleOf(
    { hint: (ctx) => (ctx.ids.user === 'ann' ? `Ann likes it short.` : undefined) },
    {
      hint: () => {
        throw new Error('no weather today');
      },
    },
  );
  const model = [{ answer: 'Done.' }, { answer: 'Done.' }];
  await using runtime = await openRuntime({ bundle, model });
  const ann = runtime.connect({ user: 'ann' });
  await (await ann.conversation(undefined, { agent: 'main' }).send('Go')).done();
  const turn = await ann.conversation(undefined, { agent: 'other' }).send('Go');
  expect((await turn.done()).reason).toBe('completed');
  const [first, second] = runtime.model.requests;
  expect(first?.text).toContain('Ann likes it short.');
  expect(second?.text).toContain('no weather today');
});

// proves: hooks.reasoning
test('a guard before reasoning ends the turn without asking the model', async () => {
  const closed = defineHook({
    id: 'closed',
    guard: {
      reasoning: ({ round }) =>
        round > 1 ? refuse('office_closed', 'The office is closed.') : undefined,
    },
  });
  const bundle = bundleOf({ hooks: [closed] });
  await using runtime = await openRuntime({ bundle, model: script });
  const turn = await runtime.send('Pay');
  expect(await turn.done()).toMatchObject({
    reason: 'failed',
    error: { code: 'office_closed', message: 'The office is closed.' },
  });
  expect(runtime.model.requests).toHaveLength(1);
});

// proves: hooks.reasoning
test('hooks of reasoning also run before the call that writes the answer, with its phase and without hints of tools', async () => {
  const phases: string[] = [];
  const watch = defineHook({
    id: 'watch',
    guard: { reasoning: ({ phase }) => void phases.push(phase) },
    transform: {
      reasoning: ({ phase, hints }) => ({
        hints: phase === 'answer' ? [...hints, 'Two lines at most.'] : hints,
      }),
    },
  });
  const bundle = bundleOf({ hint: 'Be quick.', hooks: [watch], answer: 'synthesize' });
  const model = [{ answer: 'Done.' }, { role: 'answer' as const, answer: 'All done.' }];
  await using runtime = await openRuntime({ bundle, model });
  expect((await (await runtime.send('Go')).done()).text).toBe('All done.');
  expect(phases).toEqual(['decision', 'answer']);
  const record = runtime.model.requests.at(-1)?.text;
  expect(record).toContain('Two lines at most.');
  expect(record).toContain('Be quick.');
  expect(record).not.toContain('Payments are slow on Fridays.');
});

// proves: hooks.reasoning
test('a guard that refuses the call for the answer ends the turn', async () => {
  const closed = defineHook({
    id: 'closed',
    guard: { reasoning: ({ phase }) => (phase === 'answer' ? refuse('enough', 'No.') : undefined) },
  });
  const bundle = bundleOf({ hooks: [closed], answer: 'synthesize' });
  await using runtime = await openRuntime({ bundle, model: [{ answer: 'Done.' }] });
  const ended = await (await runtime.send('Go')).done();
  expect(ended).toMatchObject({ reason: 'failed', error: { code: 'enough' } });
});

// proves: hooks.observed
test('observers of reasoning also get the call that writes the answer, after the reply with the inline one', async () => {
  const seen: unknown[] = [];
  let noteEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    noteEnd = resolve;
  });
  const watch = defineHook({
    id: 'watch',
    observe: {
      reasoning: ({ role, actions }) => void seen.push([role, actions.map(({ kind }) => kind)]),
      block: ({ type }) => (type === 'turn.close' ? noteEnd() : undefined),
    },
  });
  const bundle = bundleOf({ hooks: [watch], answer: 'synthesize' });
  const model = [{ answer: 'Done.' }, { role: 'answer' as const, answer: 'All done.' }];
  await using runtime = await openRuntime({ bundle, model });
  expect((await (await runtime.send('Go')).done()).text).toBe('All done.');
  await ended;
  expect(seen).toEqual([
    ['decision', ['complete']],
    ['answer', ['complete']],
  ]);
});

// proves: hooks.agent
test('a hook of an agent cannot judge events, which arrive before an agent is chosen', async () => {
  const early = defineHook({ id: 'early', guard: { event: () => undefined } });
  const bundle = bundleOf({ hooks: [early] });
  await expect(openRuntime({ bundle, model: [] })).rejects.toThrow(
    /agent “main”: hook “early” has a place “event”/,
  );
});

// proves: hooks.observed
test('observers get each reply and each text that people see, in order', async () => {
  const seen: unknown[] = [];
  let noteEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    noteEnd = resolve;
  });
  const watch = defineHook({
    id: 'watch',
    observe: {
      reasoning: ({ actions }) => void seen.push(actions.map(({ kind, tool }) => tool ?? kind)),
      shown: ({ marker, text }) => void seen.push(`${marker}: ${text}`),
      block: ({ type }) => (type === 'turn.close' ? noteEnd() : undefined),
    },
  });
  const model = [
    { thinking: 'Pay first.', call: { tool: 'bank.pay', notes: 'Paying' } },
    { answer: 'Paid.' },
  ];
  await using runtime = await openRuntime({ bundle: bundleOf({ hooks: [watch] }), model });
  await (await runtime.send('Pay')).done();
  await ended;
  expect(seen).toEqual([
    'thinking: Pay first.',
    'timeline_text: Paying',
    ['bank.pay'],
    ['complete'],
    'answer: Paid.',
  ]);
});
