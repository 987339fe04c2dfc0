import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import {
  defineProps,
  defineResource,
  defineSecret,
  defineTool,
  type ToolContext,
} from '../../../../runtime/sdk/index.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../../tools/kit.ts';
import { bundleWith, type Compiling, compile, compiledTool } from '../kit.ts';

type More = NonNullable<Parameters<typeof compiledTool>[1]>['more'];

/** Runs `work` as a tool of a bundle, in a turn over real services. */
async function within(
  work: (ctx: ToolContext) => unknown,
  { more, ...options }: Compiling & { more?: More } = {},
) {
  const world = await openWorld();
  const tool = defineTool({
    id: 'test.work',
    description: 'Works.',
    input: z.object({}),
    run: (_, ctx) => work(ctx),
  });
  const compiled = await compiledTool(tool, { ...options, ...(more ? { more } : {}) });
  return { world, performed: await world.perform(compiled, {}, { call: toCallId('tc_1') }) };
}

test('ids and key are those of the call', async () => {
  const { performed } = await within((ctx) => ({ ...ctx.ids, key: ctx.key }));
  expect(ret(performed)).toMatchObject({
    tenant: 'acme',
    user: 'ann',
    bundle: 'acme',
    revision: 'r1',
    agent: 'main',
    turn,
    call: 'tc_1',
    key: 'key_tc_1',
  });
});

test('props are parsed, frozen and only available through their own definition', async () => {
  const settings = defineProps(z.object({ unit: z.enum(['ms', 's']).default('ms'), n: z.int() }));
  const unlisted = defineProps(z.object({}));
  const more = { props: settings };
  const good = await within((ctx) => ctx.props(settings), { more, props: { n: 3 } });
  expect(ret(good.performed)).toEqual({ unit: 'ms', n: 3 });
  const frozen = await within((ctx) => Object.isFrozen(ctx.props(settings)), {
    more,
    props: { n: 3 },
  });
  expect(ret(frozen.performed)).toBe(true);
  const other = await within((ctx) => ctx.props(unlisted), { more, props: { n: 3 } });
  expect(error(other.performed)?.code).toBe('NOT_IN_BUNDLE');
});

test('secrets can be read, compared, missing or unlisted, and are masked in all output', async () => {
  const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' });
  const options = { more: { secrets: [key] }, host: { secret: async () => 'opensesame' } };
  const { performed, world } = await within(async (ctx) => {
    const value = await ctx.secrets.get(key);
    ctx.progress(`using ${value}`);
    await using page = ctx.canvas('page.md', { mime: 'text/markdown' });
    page.write('key: open');
    page.write('sesame.');
    await ctx.files.write('outputs/key.txt', `key ${value}`);
    await ctx.sources.add([{ url: `https://x.test/?k=${value}`, title: value }]);
    await ctx.memory.note(`the key is ${value}`);
    return [await ctx.secrets.matches(key, value), await ctx.secrets.matches(key, 'x'), value];
  }, options);
  expect(ret(performed)).toEqual([true, false, '•••']);
  expect(JSON.stringify([performed.blocks, world.live])).not.toContain('opensesame');
  expect(blocksOf(performed, 'canvas')[0]?.text).toBe('key: •••.');
  const view = await world.view();
  const file = view.turns.at(-1)?.blocks.find(({ type }) => type === 'artifact.file');
  const signal = AbortSignal.timeout(10_000);
  const bytes = await world.blobs.get('acme', file?.blob?.hash ?? '', { signal });
  expect(new TextDecoder().decode(bytes)).toBe('key •••');

  const unset = await within((ctx) => ctx.secrets.get(key), { more: { secrets: [key] } });
  expect(error(unset.performed)?.code).toBe('SECRET_MISSING');
  const unlisted = await within((ctx) => ctx.secrets.get(key));
  expect(error(unlisted.performed)?.code).toBe('NOT_IN_BUNDLE');
});

test('a resource opens once, is retried after a failure, and closes newest first', async () => {
  const calls: string[] = [];
  let broken = true;
  const define = (id: string) =>
    defineResource({
      id,
      open: () => {
        calls.push(`open ${id}`);
        if (id === 'b' && broken) throw new Error('not yet');
        return id;
      },
      close: (value) => void calls.push(`close ${value}`),
    });
  const [a, b] = [define('a'), define('b')];
  const use = defineTool({
    id: 'test.use',
    description: 'Uses both.',
    input: z.object({}),
    run: async (_, ctx) => [await ctx.use(a), await ctx.use(b)],
  });
  const bundle = bundleWith([use], {
    resources: [a, b],
    dispose: () => void calls.push('dispose'),
  });
  const compiled = await compile(bundle);
  const tool = compiled.agents[0].tools.find(({ spec }) => spec.id === 'test.use');
  if (!tool) throw new Error('no tool');
  const world = await openWorld();
  expect(error(await world.perform(tool, {}))?.code).toBe('RESOURCE_FAILED');
  broken = false;
  expect(ret(await world.perform(tool, {}))).toEqual(['a', 'b']);
  await world.perform(tool, {});
  await compiled.dispose();
  expect(calls).toEqual(['open a', 'open b', 'open b', 'dispose', 'close b', 'close a']);
});

test('stored values are separate per owner, expire, and must still fit their schema', async () => {
  let now = 0;
  const storage = createMemoryStorage(() => now);
  const host = { storage };
  await within(
    async (ctx) => {
      await ctx.storage.bundle.set('n', 1);
      await ctx.storage.user.set('n', 2, { ttlMs: 10 });
      await ctx.storage.conversation.set('n', 'three');
    },
    { host },
  );
  const read = () =>
    within(
      async (ctx) => {
        const keys: string[] = [];
        for await (const key of ctx.storage.bundle.keys()) keys.push(key);
        const user = await ctx.storage.user.get('n', z.number());
        return [await ctx.storage.bundle.get('n', z.number()), user ?? null, keys];
      },
      { host },
    );
  expect(ret((await read()).performed)).toEqual([1, 2, ['n']]);
  now = 10;
  expect(ret((await read()).performed)).toEqual([1, null, ['n']]);
  const unfit = await within((ctx) => ctx.storage.conversation.get('n', z.number()), { host });
  expect(error(unfit.performed)?.code).toBe('STORED_INVALID');
  const large = await within((ctx) => ctx.storage.bundle.set('x', 'x'.repeat(300_000)), { host });
  expect(error(large.performed)?.code).toBe('too_large');
});

test('a tool calls another tool of the bundle, with input and output checked', async () => {
  const half = defineTool({
    id: 'math.half',
    description: 'Halves.',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    run: ({ n }) => ({ n: n / 2 }),
  });
  const outer = defineTool({
    id: 'math.outer',
    description: 'Calls.',
    input: z.object({ listed: z.boolean() }),
    run: async ({ listed }, ctx) => (await ctx.call(listed ? half : unlisted, { n: 4 })).n,
  });
  const unlisted = half.with({});
  const world = await openWorld();
  const { agents } = await compile(bundleWith([half, outer]));
  const tool = agents[0].tools.find(({ spec }) => spec.id === 'math.outer');
  if (!tool) throw new Error('no tool');
  expect(ret(await world.perform(tool, { listed: true }))).toBe(2);
  const alone = await compiledTool(outer);
  expect(error(await world.perform(alone, { listed: true }))?.code).toBe('NOT_IN_BUNDLE');
});

test('files are read by path and written to the current turn only', async () => {
  const { performed } = await within(async (ctx) => {
    const ref = await ctx.files.write('outputs/a.txt', 'hello', { visibility: 'internal' });
    const prompt = await ctx.read(`ar:${past}.user.prompt`);
    return { ref, prompt: prompt.text ?? '' };
  });
  expect(ret(performed)).toMatchObject({
    ref: { path: `fi:${turn}.outputs/a.txt`, size: 5, visibility: 'internal' },
    prompt: 'hello from conv_main',
  });
  const nowhere = await within((ctx) => ctx.files.read(`fi:${past}.outputs/none.txt`));
  expect(error(nowhere.performed)?.code).toBe('not_found');
  const outside = await within((ctx) => ctx.files.write('outputs/../../etc', ''));
  expect(error(outside.performed)?.code).toBe('path_refused');
});

test('fetch stops with the call', async () => {
  const seen: (AbortSignal | null | undefined)[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    seen.push(init?.signal);
    return new Response('ok');
  };
  await within(
    async (ctx) => {
      await ctx.fetch('https://x.test');
      const own = new AbortController();
      await ctx.fetch('https://x.test', { signal: own.signal });
      own.abort();
    },
    { host: { fetch } },
  );
  expect(seen.map((signal) => signal?.aborted)).toEqual([false, true]);
});

test('generate returns text or schema-checked output, and fails without a model', async () => {
  const schema = z.object({ n: z.coerce.number() });
  const host: Compiling['host'] = {
    generate: async ({ output, prompt, role }) => (output ? { n: '7' } : `${role}: ${prompt}`),
  };
  const { performed } = await within(
    async (ctx) => [
      await ctx.generate({ prompt: 'hi' }),
      await ctx.generate({ prompt: '', output: schema }),
    ],
    { host },
  );
  expect(ret(performed)).toEqual(['small: hi', { n: 7 }]);
  const none = await within((ctx) => ctx.generate({ prompt: 'hi' }));
  expect(error(none.performed)?.code).toBe('NOT_AVAILABLE');
});
