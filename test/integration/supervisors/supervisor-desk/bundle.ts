import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  ask,
  defineAgent,
  defineBundle,
  defineProps,
  defineResource,
  defineSecret,
  defineTool,
  refuse,
} from 'timeloom/sdk';
import { z } from 'zod';
import { count, types } from './streams.ts';

const settings = defineProps(z.object({ region: z.string().default('nowhere') }));
const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' });
const own = defineSecret({ id: 'OWN', for: 'user', description: 'a key of the user' });
const unset = defineSecret({ id: 'UNSET', for: 'bundle', description: 'set by nobody' });
const counter = defineResource({ id: 'counter', open: () => ({ uses: 0 }) });

const about = { description: 'A tool of a test.', input: z.object({}) };

const add = defineTool({
  id: 'desk.add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  output: z.number(),
  run: ({ a, b }) => a + b,
});
const whose = defineTool({
  id: 'desk.whose',
  description: 'Says whose.',
  input: z.object({ tenant: z.string(), n: z.number() }),
  preset: { tenant: (ctx) => `${ctx.ids.tenant} ${ctx.ids.user} ${ctx.ids.agent} ${ctx.key}` },
  run: ({ tenant, n }, ctx) => [tenant, n, ctx.props(settings).region],
});
const no = defineTool({
  id: 'desk.no',
  description: 'Says no.',
  input: z.object({ thrown: z.boolean() }),
  run: ({ thrown }): Error => {
    const refusal = refuse('closed', 'We are closed.', { retryable: true });
    if (thrown) throw refusal;
    return refusal;
  },
});
const fails = defineTool({
  id: 'desk.fails',
  description: 'Fails.',
  input: z.object({ how: z.enum(['error', 'fault', 'output']) }),
  output: z.number(),
  async run({ how }, ctx): Promise<number> {
    if (how === 'error') throw new Error(`the key is ${await ctx.secrets.get(key)}`);
    if (how === 'fault') await ctx.secrets.get(unset);
    return JSON.parse('"no number"');
  },
});
const makes = defineTool({
  ...about,
  id: 'desk.makes',
  async run(_, ctx) {
    ctx.progress('begun');
    await using page = ctx.canvas('plan', { mime: 'text/markdown', title: 'Plan' });
    for (const word of ['a ', 'b ', await ctx.secrets.get(key)]) page.write(word);
    ctx.emit('desk.fact', { n: 1 });
    await ctx.memory.note('remember', { tag: 'P' });
    const [row] = await ctx.sources.add([{ url: 'https://a.test/x', title: 'A' }]);
    const file = await ctx.files.write('outputs/a.txt', 'hello', { visibility: 'internal' });
    return { sid: row?.sid, file };
  },
});
const reads = defineTool({
  id: 'desk.reads',
  description: 'Reads.',
  input: z.object({ path: z.string() }),
  async run({ path }, ctx) {
    const [file, hash] = [await ctx.files.read(path), createHash('sha256')];
    for await (const piece of file.stream()) hash.update(piece);
    return { bytes: (await file.bytes()).length, hash: hash.digest('hex') };
  },
});
const stores = defineTool({
  id: 'desk.stores',
  description: 'Writes a large file.',
  input: z.object({ chunks: z.number(), fail: z.boolean().default(false) }),
  async run({ chunks, fail }, ctx) {
    const hash = createHash('sha256');
    let left = chunks;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (fail) controller.error(refuse('torn', 'The paper is torn.'));
        else if (left === 0) controller.close();
        else {
          const bytes = new Uint8Array(700_000).fill(left);
          hash.update(bytes);
          controller.enqueue(bytes);
          left -= 1;
        }
      },
    });
    const ref = await ctx.files.write('outputs/large.bin', stream);
    return { ref, hash: hash.digest('hex') };
  },
});
const says = defineTool({
  id: 'desk.says',
  description: 'Returns much.',
  input: z.object({ chars: z.number() }),
  run: ({ chars }) => '\u{1f600}'.repeat(chars / 2),
});
const waits = defineTool({
  id: 'desk.waits',
  description: 'Waits until it is stopped.',
  input: z.object({}),
  effects: 'none',
  async *run(_, ctx) {
    yield 'first step';
    await new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
      ctx.emit('desk.waiting', {});
    });
  },
});
const calls = defineTool({
  ...about,
  id: 'desk.calls',
  async run(_, ctx) {
    const refused = await ctx.call(no, { thrown: true }).catch((error: Error) => error.message);
    return [await ctx.call(add, { a: 1, b: 2 }), refused];
  },
});
const careful = defineTool({
  id: 'desk.careful',
  description: 'Asks before.',
  input: z.object({ depth: z.number() }),
  approval: ({ depth }, ctx) => {
    if (depth > 9) return refuse('too_deep', 'Too deep.');
    return depth > 1 ? ask(`Go ${depth} deep, ${ctx.ids.user}?`, { remember: 'turn' }) : undefined;
  },
  run: ({ depth }) => depth,
});
const keeps = defineTool({
  ...about,
  id: 'desk.keeps',
  async run(_, ctx) {
    const { bundle, user, conversation } = ctx.storage;
    await bundle.set('a', 1);
    await user.set('b', 'two');
    await conversation.set('c', { three: 3 });
    await bundle.set('gone', 1);
    await bundle.delete('gone');
    const keys: string[] = [];
    for await (const each of bundle.keys()) keys.push(each);
    const wrong = await user.get('b', z.number()).catch((error: Error) => error.message);
    const read = [await user.get('b', z.string()), await conversation.get('c', z.unknown())];
    return { keys, read, wrong, none: (await bundle.get('gone', z.unknown())) === undefined };
  },
});
const thinks = defineTool({
  ...about,
  id: 'desk.thinks',
  run: async (_, ctx) => [
    await ctx.generate({ prompt: 'hi' }),
    await ctx.generate({ prompt: 'n', output: z.object({ n: z.coerce.number() }) }),
  ],
});
const uses = defineTool({
  ...about,
  id: 'desk.uses',
  async run(_, ctx) {
    const used = await ctx.use(counter);
    used.uses += 1;
    return used.uses;
  },
});
const remembers = defineTool({
  ...about,
  id: 'desk.remembers',
  run: async (_, ctx) => [
    await ctx.memory.search({ query: 'hello' }),
    (await ctx.memory.search({ mode: 'timeline', limit: 3 })).length,
    (await ctx.read('ar:turn_0000000000000000000a.user.prompt')).text,
    await ctx.read('ar:turn_none.user.prompt').catch((error: Error) => error.message),
  ],
});
const knows = defineTool({
  ...about,
  id: 'desk.knows',
  run: async (_, ctx) => ({
    key: await ctx.secrets.matches(key, 'hunter2hunter2'),
    own: await ctx.secrets.matches(own, 'of ann'),
    region: ctx.props(settings).region,
    env: process.env,
    argv: [...process.argv, ...process.execArgv],
    pid: process.pid,
  }),
});
const prints = defineTool({
  ...about,
  id: 'desk.prints',
  run: async (_, ctx) => {
    console.log(`printed ${await ctx.secrets.get(key)}`);
    ctx.log.info('logged by the tool', { n: 1 });
  },
});
const shouts = defineTool({
  ...about,
  id: 'desk.shouts',
  run: (_, ctx) => {
    for (let n = 0; n < 60_000; n += 1) ctx.emit('desk.shout', { n });
    return 'done';
  },
});

const sleep = async ({ ms, say }: { ms: number; say: string }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return say;
};
const sleeps = (['none', 'keyed', 'unkeyed'] as const).map((effects) =>
  defineTool({
    id: `desk.sleeps_${effects}`,
    description: 'Sleeps.',
    input: z.object({ ms: z.number(), say: z.string().default('slept') }),
    effects,
    run: (input, ctx) => {
      ctx.emit('desk.sleeping', {});
      return sleep(input);
    },
  }),
);

const ends = defineTool({
  id: 'desk.ends',
  description: 'Takes its process along.',
  input: z.object({ how: z.enum(['exit', 'throw', 'heap', 'buffers', 'abort']) }),
  effects: 'unkeyed',
  run: ({ how }) => {
    if (how === 'exit') process.exit(3);
    if (how === 'abort') process.abort();
    if (how === 'throw') {
      setImmediate(() => {
        throw new Error('nobody caught this');
      });
      return sleep({ ms: 60_000, say: '' });
    }
    const kept: unknown[] = [];
    for (;;) kept.push(how === 'heap' ? Array(500_000).fill(0.5) : Buffer.alloc(8_000_000, 1));
  },
});
const loops = defineTool({
  ...about,
  id: 'desk.loops',
  timeoutMs: 700,
  effects: 'keyed',
  run: () => {
    for (;;);
  },
});
const spawns = defineTool({
  ...about,
  id: 'desk.spawns',
  run: () => spawn('sleep', ['600'], { stdio: 'ignore' }).pid,
});
const deaf = defineTool({
  ...about,
  id: 'desk.deaf',
  timeoutMs: 100,
  effects: 'none',
  run: () => sleep({ ms: 30_000, say: 'late' }),
});

const others = [makes, reads, stores, says, waits, calls, careful, keeps, thinks, uses, remembers];
const tools = [add, whose, count, types, no, fails, ...others, knows, prints, shouts, ...sleeps];
const agent = defineAgent({
  id: 'main',
  instruction: 'Help.',
  tools: [...tools, ends, loops, spawns, 'exec_tools.*'],
  groups: { more: { description: 'More.', tools: [deaf] } },
});

export const bundle = defineBundle({
  id: 'desk',
  version: '1',
  agents: [agent],
  props: settings,
  secrets: [key, own, unset],
  resources: [counter],
});
