import { expect, test } from 'vitest';
import { z } from 'zod';
import { Cancelled } from '../../../../runtime/base/signal.ts';
import { defineSecret, defineTool, dispatch, refuse } from '../../../../runtime/sdk/index.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { catalogText } from '../../../../runtime/tools/definition/tool-catalog.ts';
import { containing } from '../../../tools/matchers.ts';
import { blocksOf, error, openWorld, ret } from '../../tools/kit.ts';
import { compiledTool, createReadableLog } from '../kit.ts';

const add = defineTool({
  id: 'math.add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => a + b,
});

test('input is repaired and parsed, or refused with a path, before run', async () => {
  const world = await openWorld();
  const tool = await compiledTool(add);
  expect(ret(await world.perform(tool, { a: '2' }))).toBe(3);
  expect(error(await world.perform(tool, { a: 'two' }))).toMatchObject({
    code: 'invalid_input',
    violations: [{ path: 'a' }],
  });
});

test('the default options are the safe ones', async () => {
  expect((await compiledTool(add)).spec).toMatchObject({
    traits: [],
    effects: 'unkeyed',
    concurrency: 'alone',
    kind: 'bundle',
  });
});

test('a preset is not in the schema, wins over the model, and may come from the context', async () => {
  const world = await openWorld();
  const whose = defineTool({
    id: 'math.whose',
    description: 'Says who.',
    input: z.strictObject({ tenant: z.string(), n: z.number() }),
    preset: { tenant: (ctx) => ctx.ids.tenant },
    run: ({ tenant, n }) => `${tenant} ${n}`,
  });
  const tool = await compiledTool(whose);
  expect(tool.spec.parameters['properties']).toEqual({ n: { type: 'number' } });
  expect(ret(await world.perform(tool, { tenant: 'evil', n: 1 }))).toBe('acme 1');
  const fixed = await compiledTool(whose.with({ preset: { n: 7 } }));
  expect(ret(await world.perform(fixed, {}))).toBe('acme 7');
});

test('an unknown parameter is refused without naming presets, and accepted by a loose schema', async () => {
  const world = await openWorld();
  const input = z.object({ tenant: z.string(), count: z.number() });
  const spec = { id: 'math.echo' as const, description: 'Echoes.', preset: { tenant: 'acme' } };
  const plain = await compiledTool(defineTool({ ...spec, input, run: (given) => given }));
  const refused = error(await world.perform(plain, { counts: 1, count: 1, tenant: 'evil' }));
  expect(refused).toMatchObject({ code: 'invalid_input' });
  expect(refused?.message).toContain('counts: unknown parameter: leave it out');
  expect(refused?.message).not.toContain('tenant');
  const loose = await compiledTool(
    defineTool({ ...spec, input: input.loose(), run: (given) => given }),
  );
  expect(ret(await world.perform(loose, { count: 1, more: 2 }))).toEqual({
    ...{ count: 1, more: 2, tenant: 'acme' },
  });
});

test('the declared output of a tool is shown to the model', async () => {
  const output = z.object({ at: z.string().optional(), n: z.int() });
  const run = () => ({ at: 'x', n: 1 });
  const tool = await compiledTool(
    defineTool({ id: 'a.b', description: 'B.', input: z.object({}), output, run }),
  );
  expect(catalogText([tool.spec]).split('\n').at(-1)).toBe('returns: { at?: string, n: integer }');
});

const counting = { id: 'math.count' as const, description: 'Counts.', input: z.object({}) };
function* steps() {
  yield 'one';
  yield { text: 'two', fraction: 0.5, data: { at: 2 } };
  return { done: true };
}

// proves: tools.generators
test.each([
  defineTool({ ...counting, run: steps }),
  defineTool({
    ...counting,
    async *run() {
      return yield* steps();
    },
  }),
])(
  'what a generator of either kind yields is progress, what it returns is the result',
  async (count) => {
    const world = await openWorld();
    const performed = await world.perform(await compiledTool(count), {});
    expect(ret(performed)).toEqual({ done: true });
    expect(blocksOf(performed, 'react.tool.progress').map(({ text }) => text)).toEqual([
      'one',
      'two',
    ]);
  },
);

test('a refusal has the same effect returned or thrown', async () => {
  const world = await openWorld();
  const options = { description: 'Says no.', input: z.object({}) };
  const no = () => refuse('closed', 'We are closed.', { retryable: true });
  const returned = defineTool({ id: 'shop.a', ...options, run: no });
  const thrown = defineTool({
    id: 'shop.b',
    ...options,
    run: (): number => {
      throw no();
    },
  });
  for (const tool of [returned, thrown]) {
    const performed = await world.perform(await compiledTool(tool), {});
    expect(error(performed)).toEqual({
      code: 'closed',
      message: 'We are closed.',
      retryable: true,
    });
  }
});

test('an unexpected error shows a short masked message, and the stack is in the log', async () => {
  const world = await openWorld();
  const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' });
  const leaky = defineTool({
    id: 'crm.find',
    description: 'Leaks.',
    input: z.object({}),
    async run(_, ctx) {
      throw new Error(`${await ctx.secrets.get(key)} ${'x'.repeat(600)}`);
    },
  });
  const { log, lines } = createReadableLog();
  const tool = await compiledTool(leaky, {
    more: { secrets: [key] },
    host: { log, secret: async () => 'hunter2hunter2' },
  });
  const failed = error(await world.perform(tool, {}));
  expect(failed).toMatchObject({ code: 'tool_failed', retryable: false });
  expect(failed?.message).toMatch(/^••• x+$/);
  expect(failed?.message.length).toBeLessThanOrEqual(500);
  expect(JSON.stringify(lines)).toContain('compile-tool.test.ts');
  expect(JSON.stringify(lines)).not.toContain('hunter2');
});

test('a result that does not fit the output fails the call', async () => {
  const world = await openWorld();
  const typed = defineTool({
    id: 'math.typed',
    description: 'Promises a small number.',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number().max(9) }),
    run: ({ n }) => ({ n }),
  });
  const tool = await compiledTool(typed);
  expect(ret(await world.perform(tool, { n: 1 }))).toEqual({ n: 1 });
  expect(error(await world.perform(tool, { n: 10 }))?.message).toMatch(
    /math\.typed returned does not fit its output: n: /,
  );
});

test('a dispatched call is posted with its key, and an error response is a refusal', async () => {
  const world = await openWorld();
  const remote = defineTool({
    id: 'crm.run',
    description: 'Runs elsewhere.',
    input: z.object({ n: z.number() }),
    run: dispatch({ url: 'https://crm.test/run' }),
  });
  const sent: unknown[] = [];
  let status = 200;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push([new Headers(init?.headers).get('idempotency-key'), JSON.parse(String(init?.body))]);
    return Response.json({ got: 1 }, { status });
  };
  const tool = await compiledTool(remote, { host: { fetch } });
  expect(ret(await world.perform(tool, { n: 1 }, { call: toCallId('tc_a') }))).toEqual({ got: 1 });
  const body = { name: 'crm.run', arguments: { n: 1 }, call_id: 'tc_a' };
  expect(sent).toMatchObject([
    ['key_tc_a', { ...body, turn_id: 'turn_0000000000000000000b', round: 1 }],
  ]);
  status = 503;
  expect(error(await world.perform(tool, { n: 1 }))).toMatchObject({
    code: 'dispatch_failed',
    retryable: true,
  });
});

test('a stopped tool is interrupted with what it yielded', async () => {
  const world = await openWorld();
  const stop = new AbortController();
  const slow = defineTool({
    id: 'slow.walk',
    description: 'Waits for the signal.',
    input: z.object({}),
    async *run(_, ctx) {
      yield 'first step';
      await new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
        stop.abort(new Cancelled('steer'));
      });
    },
  });
  const performed = await world.perform(await compiledTool(slow), {}, { signal: stop.signal });
  expect(performed.result).toMatchObject({ ok: false, ret: { yielded: [{ text: 'first step' }] } });
});

// proves: exec.bytes-refused
test('bytes in a result are refused at any depth, with a hint to return files', async () => {
  const world = await openWorld();
  const values = [
    new Uint8Array([1, 2]),
    { file: Buffer.from('x') },
    [{ deep: new ArrayBuffer(2) }],
    { rows: new Float64Array(2) },
    new Blob(['x']),
  ];
  for (const value of values) {
    const returns = defineTool({
      id: 'math.bytes',
      description: 'Returns it.',
      input: z.object({}),
      run: () => value,
    });
    expect(error(await world.perform(await compiledTool(returns), {}))).toMatchObject({
      code: 'bytes_returned',
      message: containing('ctx.files.write'),
    });
  }
});
