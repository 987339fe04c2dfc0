import { expect, test } from 'vitest';
import type { BundleHost } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { patient } from '../../tools/machine-speed.ts';
import { openDesk, type Where } from './kit.ts';

const source = `
import { defineAgent, defineBundle, defineEvent, defineOperation, defineSecret, Fault, refuse } from 'timeloom/sdk';
import { z } from 'zod';
const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' });
const own = defineSecret({ id: 'OWN', for: 'user', description: 'a key of the user' });
const alert = defineEvent({ kind: 'alert', reactive: true, payload: z.object({ n: z.coerce.number() }), text: ({ n }) => 'ALERT ' + n });
const nothing = z.object({});
let loads = 0;
const operations = [
  defineOperation({ id: 'near', method: 'GET', input: z.object({ n: z.number() }), run: async ({ n }, ctx) => {
    await ctx.storage.user.set('n', n);
    return { n: await ctx.storage.user.get('n', z.number()), user: ctx.ids.user, loads, pid: process.pid, own: await ctx.secrets.matches(own, 'of ann') };
  } }),
  defineOperation({ id: 'open', access: 'public', input: nothing,
    verify: async (request, ctx) => (await request.text()) === '{}' && ctx.secrets.matches(key, request.headers.get('x-key')),
    run: async (_, ctx) => {
      const { id } = await ctx.conversations.open({ user: 'ann', key: 'k', title: 'T' });
      return ctx.events.send(alert, { conversation: id, payload: { n: '7' } });
    } }),
  defineOperation({ id: 'no', input: nothing, run: async (_, ctx) => refuse('closed', 'Not with ' + (await ctx.secrets.get(key))) }),
  defineOperation({ id: 'fault', input: nothing, run: () => { throw new Fault('STORE_UNAVAILABLE'); } }),
  defineOperation({ id: 'bug', input: nothing, run: () => { throw new Error('inside'); } }),
  defineOperation({ id: 'page', input: nothing, run: () => new Response(new Uint8Array([0, 255]), { status: 201 }) }),
  defineOperation({ id: 'hang', input: nothing, run: (_, { signal }) => new Promise((_r, no) => signal.addEventListener('abort', () => no(signal.reason))) }),
  defineOperation({ id: 'exit', input: nothing, run: () => process.exit(3) }),
  defineOperation({ id: 'circle', input: nothing, run: () => { for (;;); } }),
];
export const bundle = defineBundle({
  id: 'porch', version: '1', secrets: [key, own], events: [alert], operations,
  agents: [defineAgent({ id: 'main', instruction: 'x' })],
  onLoad: () => { loads += 1; },
});
`;

async function openPorch(where: Where, host: Partial<BundleHost> = {}) {
  const folder = await openFolder({ 'bundle.ts': source });
  const desk = await openDesk({
    where,
    dir: folder.dir,
    host: {
      secret: async ({ id, user }) => (id === 'OWN' ? user && `of ${user}` : 'hunter2hunter2'),
      storage: createMemoryStorage(() => 0),
      ...host,
    },
  });
  const find = (id: string) => desk.bundle.operations.find((one) => one.id === id);
  const ask = async (
    id: string,
    {
      body = '{}',
      query = '',
      user = 'ann',
      headers = {},
      signal = AbortSignal.timeout(patient(30_000)),
    } = {},
  ) => {
    const operation = find(id);
    if (!operation) throw new Error(`there is no ${id}`);
    const request = {
      method: operation.method,
      url: `http://porch.test/${query}`,
      headers: Object.entries<string>(headers),
      body: Buffer.from(operation.method === 'GET' ? '' : body),
    };
    const who = operation.access === 'public' ? {} : { user };
    const answer = await operation.answer(request, { ...who, signal });
    return { status: answer.status, text: Buffer.from(answer.body).toString('latin1') };
  };
  const close = async () => {
    await desk[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { ask, [Symbol.asyncDispose]: close };
}

// proves: operations.separate
test.each<Where>(['in_worker', 'separate'])('operations answer the same %s', async (where) => {
  const posted: unknown[] = [];
  await using porch = await openPorch(where, {
    events: {
      feedback: async () => undefined,
      finish: async () => 'finished',
      taskState: async () => 'running',
      open: async (opening, { ids }) => {
        posted.push(opening, ids.bundle);
        return { id: 'conv_x' };
      },
      send: async ({ kind, given, ...sending }) => {
        posted.push({ ...sending, parsed: kind.parse(given) });
        return { status: 'started', conversation: 'conv_x', turn: 'turn_x', seq: 2 };
      },
    },
  });
  const near = await porch.ask('near', { query: '?n=4' });
  expect(near.status).toBe(200);
  const { ret } = JSON.parse(near.text) as { ret: { pid: number } };
  expect(ret).toMatchObject({ n: 4, user: 'ann', loads: 1, own: true });
  expect(ret.pid === process.pid).toBe(where === 'in_worker');
  expect(await porch.ask('near', { query: '?n=x' })).toMatchObject({ status: 400 });
  expect(await porch.ask('open')).toMatchObject({ status: 401 });
  expect(await porch.ask('open', { headers: { 'x-key': 'hunter2hunter2' } })).toEqual({
    status: 200,
    text: '{"ok":true,"ret":{"status":"started","conversation":"conv_x","turn":"turn_x","seq":2}}',
  });
  expect(posted).toEqual([
    { user: 'ann', key: 'k', title: 'T' },
    'porch',
    {
      conversation: 'conv_x',
      agent: 'main',
      parsed: { ok: true, payload: { n: 7 }, text: 'ALERT 7' },
    },
  ]);
  const no = await porch.ask('no');
  expect([no.status, no.text.includes('hunter2'), no.text.includes('closed')]).toEqual([
    422,
    false,
    true,
  ]);
  expect(await porch.ask('fault')).toMatchObject({ status: 503 });
  const bug = await porch.ask('bug');
  expect([bug.status, bug.text.includes('inside')]).toEqual([502, false]);
  expect(await porch.ask('page')).toEqual({ status: 201, text: '\u0000\u00ff' });
  const stop = new AbortController();
  const hanging = porch.ask('hang', { signal: stop.signal });
  stop.abort(new Error('gone'));
  await expect(hanging).rejects.toThrow('gone');
});

// proves: operations.separate
test('the end of the process is a fault of who waits; an endless loop is ended, and the next is answered', async () => {
  await using porch = await openPorch('separate');
  await expect(porch.ask('exit')).rejects.toMatchObject({ code: 'SUPERVISOR_FAILED' });
  expect(await porch.ask('near', { query: '?n=1' })).toMatchObject({ status: 200 });
  const circling = porch.ask('circle', { signal: AbortSignal.timeout(200) });
  await expect(circling).rejects.toThrow(/timeout/);
  expect(await porch.ask('near', { query: '?n=2' })).toMatchObject({ status: 200 });
});
