import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineJob,
  defineOperation,
  defineTool,
  Fault,
  refuse,
} from '../../../runtime/sdk/index.ts';
import { manualClock, openRuntime } from '../../../runtime/testing/index.ts';

const alert = defineEvent({ kind: 'alert', payload: z.object({}), text: () => 'ALERT' });
const digest = defineJob({
  id: 'digest',
  schedule: '0 7 * * *',
  timezone: 'Europe/Berlin',
  run: async (_, ctx) =>
    ctx.storage.bundle.set(
      'digest',
      await ctx.generate({ role: 'small', prompt: 'A kind line for the board.' }),
    ),
});
const mail = defineJob({
  id: 'mail',
  input: z.object({ to: z.email(), n: z.int().default(1) }),
  attempts: 3,
  run: async ({ to, n }, ctx) => {
    const sent = (await ctx.storage.bundle.get('sent', z.array(z.string()))) ?? [];
    await ctx.storage.bundle.set('sent', [...sent, `${to} ${n}`]);
    if (to === 'no@acme.io') throw new Error('no such box');
    if (to === 'never@acme.io') return refuse('blocked', 'Blocked.') as never;
  },
});
const welcome = defineJob({
  id: 'welcome',
  input: z.object({ user: z.string() }),
  run: async ({ user }, ctx) => {
    const { id } = await ctx.conversations.open({ user, key: 'welcome' });
    await ctx.events.send(alert, { conversation: id, payload: {} });
    await ctx.jobs.enqueue(mail, { to: `${user}@acme.io` });
  },
});
const foreign = defineJob({ id: 'mail', run: () => undefined });
const Wish = z.object({
  to: z.string(),
  key: z.string().optional(),
  delayMs: z.number().optional(),
  job: z.enum(['mail', 'digest', 'foreign']).default('mail'),
});
const post = defineOperation({
  id: 'post',
  input: Wish,
  run: ({ to, job, key, delayMs }, ctx) => {
    const wish = { ...(key !== undefined && { key }), ...(delayMs !== undefined && { delayMs }) };
    // The queue also rejects what the compiler would reject here.
    return ctx.jobs.enqueue({ mail, digest, foreign }[job], { to } as never, wish);
  },
});
const board = defineOperation({
  id: 'board',
  method: 'GET',
  input: z.object({ key: z.string() }),
  run: async ({ key }, ctx) => (await ctx.storage.bundle.get(key, z.json())) ?? null,
});
const write = defineTool({
  id: 'mail.write',
  description: 'Writes a mail.',
  input: z.object({ to: z.string() }),
  run: ({ to }, ctx) => ctx.jobs.enqueue(mail, { to }),
});
const bundle = defineBundle({
  id: 'desk',
  version: '1.0.0',
  agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [write] })],
  events: [alert],
  jobs: [digest, mail, welcome],
  operations: [post, board],
});

type Runtime = Awaited<ReturnType<typeof openRuntime>>;
const Answer = z.object({ ok: z.boolean(), ret: z.json().optional(), error: z.json().optional() });

async function posted(runtime: Runtime, wish: z.input<typeof Wish>) {
  const body = JSON.stringify(wish);
  const request = new Request('http://desk.test/', { method: 'POST', body });
  return Answer.parse(await (await runtime.operation('post', request)).json());
}

async function read(runtime: Runtime, key: string) {
  const answer = await runtime.operation('board', new Request(`http://desk.test/?key=${key}`));
  return Answer.parse(await answer.json()).ret;
}

// proves: jobs.testing
test('a test runs a job with its full context', async () => {
  const model = [{ role: 'small', raw: 'Well done, all of you.' }] as const;
  await using runtime = await openRuntime({ bundle, model });
  await runtime.job('digest');
  expect(await read(runtime, 'digest')).toBe('Well done, all of you.');
  await runtime.job('mail', { to: 'ann@acme.io' });
  expect(await read(runtime, 'sent')).toEqual(['ann@acme.io 1']);
  await expect(runtime.job('mail', { to: 'ann' })).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(runtime.job('mail', { to: 'no@acme.io' })).rejects.toThrow('no such box');
  await expect(runtime.job('mail', { to: 'never@acme.io' })).rejects.toMatchObject({
    code: 'blocked',
  });
  await expect(runtime.job('nightly')).rejects.toMatchObject({ code: 'NOT_IN_BUNDLE' });
  await expect(runtime.job('mail')).rejects.toMatchObject({ code: 'nothing_enqueued' });
});

// proves: jobs.enqueue
test('tools, operations and jobs can enqueue, and the queue runs on its own', async () => {
  const model = [
    { call: { tool: 'mail.write', input: { to: 'tom@acme.io' } } },
    { answer: 'Sent.' },
  ];
  await using runtime = await openRuntime({ bundle, model });
  expect((await (await runtime.send('Write to Tom')).done()).text).toBe('Sent.');
  await runtime.job('mail');
  expect(await read(runtime, 'sent')).toEqual(['tom@acme.io 1']);
  await runtime.job('welcome', { user: 'ann' });
  await runtime.job('mail');
  expect(await read(runtime, 'sent')).toEqual(['tom@acme.io 1', 'ann@acme.io 1']);
});

// proves: jobs.keys
test('enqueueing the same key again has no effect', async () => {
  await using runtime = await openRuntime({ bundle, model: [] });
  const first = await posted(runtime, { to: 'ann@acme.io', key: 'k' });
  expect(JSON.stringify(first)).toMatch(/^{"ok":true,"ret":{"job":"job_/);
  expect(await posted(runtime, { to: 'tom@acme.io', key: 'k' })).toEqual(first);
  await runtime.job('mail');
  expect(await posted(runtime, { to: 'ann@acme.io', key: 'k' })).toEqual(first);
  expect(await posted(runtime, { to: 'ann@acme.io' })).not.toEqual(first);
  await runtime.job('mail');
  expect(await read(runtime, 'sent')).toEqual(['ann@acme.io 1', 'ann@acme.io 1']);
});

// proves: jobs.input
test('an invalid item is rejected when it is enqueued', async () => {
  await using runtime = await openRuntime({ bundle, model: [] });
  const refused = async (wish: z.input<typeof Wish>) => (await posted(runtime, wish)).error;
  expect(await refused({ to: 'ann' })).toMatchObject({ code: 'invalid_input' });
  expect(await refused({ to: 'a@acme.io', key: '' })).toMatchObject({ code: 'invalid_key' });
  expect(await refused({ to: 'a@acme.io', delayMs: -1 })).toMatchObject({ code: 'invalid_delay' });
  expect(await refused({ to: 'a@acme.io', job: 'digest' })).toMatchObject({ code: 'not_a_queue' });
  expect(await refused({ to: 'a@acme.io', job: 'foreign' })).toMatchObject({
    code: 'NOT_IN_BUNDLE',
  });
  const long = `${'x'.repeat(65_536)}@acme.io`;
  expect(await refused({ to: long })).toMatchObject({ code: 'too_large' });
});

// proves: jobs.ticks
test('with a manual clock, a schedule ticks at its time in its own time zone', async () => {
  // Daylight saving time began this night: 7:00 local time is 5:00 UTC.
  const clock = manualClock('2026-03-29T04:58:00.000Z');
  const model = [{ role: 'small', raw: 'Good morning.' }] as const;
  await using runtime = await openRuntime({ bundle, model, clock });
  await clock.advance(110_000);
  expect(await read(runtime, 'digest')).toBeNull();
  await clock.advance(12_000);
  expect(await read(runtime, 'digest')).toBe('Good morning.');
});

// proves: jobs.crash
test('an item whose worker was killed is retried by the next worker', async () => {
  let begun = 0;
  let started = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const slow = defineJob({
    id: 'slow',
    run: (_, { signal }) => {
      begun += 1;
      if (begun > 1) return;
      started();
      return new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const go = defineOperation({
    id: 'go',
    input: z.object({}),
    run: (_, ctx) => ctx.jobs.enqueue(slow, {}),
  });
  const agents = [defineAgent({ id: 'main', instruction: 'x' })];
  const one = { id: 'one', version: '1', agents, jobs: [slow], operations: [go] };
  await using runtime = await openRuntime({ bundle: defineBundle(one), model: [] });
  await runtime.operation('go', new Request('http://x.test', { method: 'POST' }));
  await running;
  await runtime.crash();
  await expect(runtime.job('slow')).rejects.toThrow();
  await runtime.job('slow');
  expect(begun).toBe(2);
});

test('a fault of the context reaches the caller of job()', async () => {
  const broken = defineJob({
    id: 'broken',
    schedule: '* * * * *',
    run: () => {
      throw new Fault('STORE_UNAVAILABLE');
    },
  });
  const agents = [defineAgent({ id: 'main', instruction: 'x' })];
  const one = defineBundle({ id: 'one', version: '1', agents, jobs: [broken] });
  await using runtime = await openRuntime({ bundle: one, model: [] });
  await expect(runtime.job('broken')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
