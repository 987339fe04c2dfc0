// proves: sdk.spelling

import {
  type Context,
  defineAgent,
  defineBundle,
  defineEvent,
  defineJob,
  defineOperation,
  defineProps,
  defineSecret,
  defineTool,
  external,
  refuse,
  type ToolContext,
} from 'timeloom/sdk';
import { z } from 'zod';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T => true as T;

const settings = defineProps(z.object({ unit: z.enum(['ms', 's']).default('ms') }), {
  perUser: ['unit'],
});
// @ts-expect-error an unknown key cannot be per user
defineProps(z.object({ a: z.string() }), { perUser: ['b'] });

const query = defineTool({
  id: 'metrics.query',
  description: '',
  input: z.object({ service: z.string(), minutes: z.int().default(60) }),
  async *run({ service, minutes }, ctx) {
    yes<Equal<typeof minutes, number>>();
    yes<Equal<typeof service, string>>();
    yes<Equal<typeof ctx, ToolContext>>();
    if (!service) return refuse('none', 'none');
    yield 'x';
    return { p95: [1] };
  },
});
const plain = defineTool({
  id: 'a.b',
  description: '',
  input: z.object({}),
  run: async () => (Math.random() > 1 ? refuse('a', 'b') : { n: 1 }),
});
const typed = defineTool({
  id: 'a.c',
  description: '',
  input: z.object({}),
  output: z.object({ lat: z.number() }),
  run: external(),
});
const output = z.object({ verdict: z.enum(['ship', 'hold']), at: z.int().default(1) });
const facts = { id: 'a.d', description: '', input: z.object({ ok: z.boolean() }) } as const;
const judged = defineTool({
  ...facts,
  output,
  run: ({ ok }) => ({ verdict: ok ? 'ship' : 'hold' }),
});
defineTool({ ...facts, output, run: async () => refuse('no', 'No.') });
defineTool({
  ...facts,
  output,
  async *run({ ok }) {
    yield 'looking';
    if (!ok) return refuse('no', 'No.');
    return { verdict: 'ship' };
  },
});
// @ts-expect-error the result has another type than the output
defineTool({ ...facts, output, run: () => ({ verdict: 1 }) });
// @ts-expect-error the result lacks what the output needs
defineTool({ ...facts, output, run: async () => ({ at: 2 }) });
defineTool({
  ...facts,
  output,
  // @ts-expect-error what a generator returns is the result
  async *run() {
    yield 'looking';
    return { verdict: 1 };
  },
});
export async function uses(ctx: ToolContext, bare: Context) {
  const q = await ctx.call(query, { service: 'x' });
  yes<Equal<typeof q, { p95: number[] }>>();
  const p = await ctx.call(plain, {});
  yes<Equal<typeof p, { n: number }>>();
  const t = await ctx.call(typed, {});
  yes<Equal<typeof t, { lat: number }>>();
  const j = await ctx.call(judged, { ok: true });
  yes<Equal<typeof j, { verdict: 'ship' | 'hold'; at: number }>>();
  // @ts-expect-error wrong input
  await ctx.call(query, { service: 1 });
  yes<Equal<ReturnType<typeof unit>, 'ms' | 's'>>();
  function unit() {
    return ctx.props(settings).unit;
  }
  // @ts-expect-error unknown prop
  ctx.props(settings).nope;
  // @ts-expect-error props are read-only
  ctx.props(settings).unit = 's';
  // @ts-expect-error only outputs/ and files/
  await ctx.files.write('etc/passwd', '');
  // @ts-expect-error no turn here
  bare.progress('x');
  // @ts-expect-error no user store without a user
  bare.storage.user;
  const g = await bare.generate({ prompt: '', output: z.object({ a: z.string() }) });
  yes<Equal<typeof g, { a: string }>>();
  const s: string = await bare.generate({ prompt: '' });
  return s;
}
// @ts-expect-error presets are typed
query.with({ preset: { minutes: 'sixty' } });
// @ts-expect-error presets exist in the input
query.with({ preset: { hours: 1 } });
// @ts-expect-error an id has an alias
defineTool({ id: 'query', description: '', input: z.object({}), run: () => 1 });
// @ts-expect-error the root of input is an object
defineTool({ id: 'a.b', description: '', input: z.string(), run: () => 1 });
// @ts-expect-error a tool says what it does
defineTool({ id: 'a.b', input: z.object({}), run: () => 1 });
defineTool({
  id: 'a.b',
  description: '',
  input: z.strictObject({ a: z.string() }),
  run: ({ a }) => a.length,
});

// @ts-expect-error a public operation must verify
defineOperation({ id: 'p', access: 'public', input: z.object({}), run: () => ({}) });
defineOperation({
  id: 'p',
  access: 'public',
  verify: 'none',
  input: z.object({}),
  run: (_, ctx) => {
    yes<Equal<typeof ctx.ids.user, string | undefined>>();
    return {};
  },
});
defineOperation({
  id: 'p',
  input: z.object({ a: z.string() }),
  run: ({ a }, ctx) => {
    yes<Equal<typeof ctx.ids.user, string>>();
    return { a, m: ctx.request.method };
  },
});
defineOperation({
  id: 'p',
  input: z.object({}),
  output: z.object({ n: z.number() }),
  // @ts-expect-error result does not fit output
  run: () => ({ n: 'x' }),
});

const job = defineJob({
  id: 'j',
  input: z.object({ to: z.email(), n: z.int().default(1) }),
  run: ({ n }, ctx) => {
    yes<Equal<typeof n, number>>();
    ctx.log.info('x');
  },
});
const alert = defineEvent({
  kind: 'alert',
  payload: z.object({ text: z.string() }),
  text: ({ text }) => text,
});
export async function sends(ctx: Context) {
  await ctx.jobs.enqueue(job, { to: 'a@b.c' });
  // @ts-expect-error
  await ctx.jobs.enqueue(job, { to: 1 });
  await ctx.events.send(alert, { conversation: 'c', payload: { text: '' } });
  // @ts-expect-error
  await ctx.events.send(alert, { conversation: 'c', payload: {} });
}
const main = defineAgent({
  id: 'm',
  instruction: 'x',
  tools: [query, 'web_tools.*'],
  output: z.object({ v: z.string() }),
});
// @ts-expect-error unknown option
defineAgent({ id: 'm', instruction: 'x', temperature: 1 });
// @ts-expect-error a pattern has an alias
defineAgent({ id: 'm', instruction: 'x', tools: ['query'] });
// @ts-expect-error unknown provider
defineAgent({ id: 'm', instruction: 'x', models: { decision: 'acme:gpt' } });
defineBundle({
  id: 'b',
  version: '1',
  agents: [main],
  jobs: [job],
  events: [alert],
  props: settings,
  secrets: [defineSecret({ id: 'A', for: 'user', description: '' })],
});
// @ts-expect-error unknown key
defineBundle({ id: 'b', version: '1', agents: [main], tool: [] });
