import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createMemoryStorage,
  type KeyValueStore,
} from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import {
  defineAgent,
  defineBundle,
  defineHook,
  defineJob,
  defineOperation,
  defineProps,
  defineResource,
  defineTool,
} from '../../../../runtime/sdk/index.ts';
import { openRuntime, type TestRuntime } from '../../../../runtime/testing/index.ts';
import { bundleWith, compile } from '../kit.ts';

const settings = defineProps(
  z
    .object({
      region: z.enum(['eu', 'us']).default('eu'),
      unit: z.enum(['ms', 's', 'min']).default('ms'),
      digits: z.int().max(9).default(2),
    })
    .refine(({ unit, digits }) => unit !== 'min' || digits === 0, 'minutes have no digits'),
  { perUser: ['unit', 'digits'] },
);
const seen: string[] = [];
beforeEach(() => {
  seen.length = 0;
});
const shared = defineResource({ id: 'shared', open: (ctx) => ctx.props(settings).unit });
const show = defineTool({
  id: 'desk.show',
  description: 'Shows a duration.',
  input: z.object({ unit: z.string() }),
  preset: { unit: (ctx) => ctx.props(settings).unit },
  approval: (_, ctx) => void seen.push(`approval ${ctx.props(settings).unit}`),
  run: async ({ unit }, ctx) => {
    const { region } = ctx.props(settings);
    seen.push(`${ctx.ids.user} ${unit} ${region}, all ${await ctx.use(shared)}`);
    return unit;
  },
});
const watch = defineHook({
  id: 'watch',
  guard: { tool: (_, ctx) => void seen.push(`guard ${ctx.props(settings).unit}`) },
});
const unit = defineOperation({
  id: 'unit',
  input: z.object({}),
  run: (_, ctx) => ctx.props(settings),
});
const open = defineOperation({
  ...{ id: 'open', access: 'public', verify: 'none', input: z.object({}) },
  run: (_, ctx) => ctx.props(settings),
});
const sweep = defineJob({ id: 'sweep', run: (_, ctx) => void seen.push(ctx.props(settings).unit) });
const more = {
  ...{ props: settings, hooks: [watch], resources: [shared], operations: [unit, open] },
  jobs: [sweep],
};
const bundle = defineBundle({
  ...{ id: 'desk', version: '1', ...more },
  agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [show] })],
});
const call = { call: { tool: 'desk.show', input: {} } };
const answer = { answer: 'Yes.' };

async function put(runtime: TestRuntime, user: string, props: object) {
  const url = new URL('/api/me/props/desk', runtime.url);
  const headers = { 'x-timeloom-user': user, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(props) });
  expect(response.status).toBe(200);
}

// proves: props.user
test("a tool, its approval and a hook get their user's props, and a resource for all users does not", async () => {
  await using runtime = await openRuntime({
    ...{ bundle, props: { unit: 's' }, model: [call, answer, call, answer, call, answer] },
    userProps: { ann: { unit: 'min', digits: 0 } },
  });
  const send = async (user: string) => {
    const turn = await runtime.connect({ user }).conversation().send('Show it');
    await turn.done();
    return seen.splice(0);
  };
  expect(await send('ann')).toEqual(['guard min', 'approval min', 'ann min eu, all s']);
  expect((await send('bob')).at(-1)).toBe('bob s eu, all s');
  await put(runtime, 'bob', { unit: 'ms' });
  expect((await send('bob')).at(-1)).toBe('bob ms eu, all s');
});

// proves: props.user
test("an operation gets its caller's props; a job and an unknown caller get the operator's", async () => {
  await using runtime = await openRuntime({
    ...{ bundle, props: { region: 'us' }, model: [] },
    userProps: { ann: { digits: 7 }, test: { unit: 's' } },
  });
  const ask = async (user: string) => {
    const headers = { 'x-timeloom-user': user };
    const request = new Request('http://x/', { method: 'POST', headers });
    return (await runtime.operation('unit', request)).json();
  };
  const ret = { region: 'us', unit: 'ms', digits: 2 };
  expect(await ask('ann')).toEqual({ ok: true, ret: { ...ret, digits: 7 } });
  expect(await ask('test')).toEqual({ ok: true, ret: { ...ret, unit: 's' } });
  expect(await ask('bob')).toEqual({ ok: true, ret });
  const public_ = new URL('/api/bundles/dev/dev/desk/public/open', runtime.url);
  const opened = await fetch(public_, { method: 'POST' });
  expect(await opened.json()).toEqual({ ok: true, ret });
  await runtime.job('sweep', {});
  expect(seen).toEqual(['ms']);
});

type Stored = { readonly [key: string]: string | number };

async function unitFor(stored: Stored, live: Stored = {}) {
  const storage: KeyValueStore = createMemoryStorage(() => 0);
  await storage.set('user-props/acme/ops/acme/ann', 'props', { value: stored });
  const compiled = await compile(bundleWith([], more), { host: { storage }, liveProps: live });
  const [operation] = compiled.operations;
  const request = {
    ...{ method: 'POST', url: 'http://x/', headers: [], body: new Uint8Array() },
  } as const;
  const { signal } = new AbortController();
  const answered = await operation?.answer(request, { user: 'ann', signal });
  const read: unknown = JSON.parse(new TextDecoder().decode(answered?.body));
  return [read, compiled.userProps.fitting(stored)];
}

const defaults = { region: 'eu', unit: 'ms', digits: 2 };

// proves: props.user-stale
test.each<[Stored, Stored, Stored]>([
  [{ unit: 's' }, {}, { unit: 's' }],
  [{ unit: 'hours', digits: 4 }, {}, { digits: 4 }],
  [{ region: 'us', digits: 4 }, {}, { digits: 4 }],
  [{ unit: 'min', digits: 4 }, {}, { digits: 4 }],
  [{ unit: 'min' }, { digits: 0 }, { unit: 'min' }],
  [{ gone: 1 }, {}, {}],
])('of stored values %j only those that fit are in force', async (stored, live, fitting) => {
  const ret = { ...defaults, ...live, ...fitting };
  expect(await unitFor(stored, live)).toEqual([{ ok: true, ret }, fitting]);
});

// proves: props.user
test('a change of the operator reaches a call that runs, and does not replace what its user has set', async () => {
  const { props, userProps } = await compile(bundleWith([], more));
  const { signal } = new AbortController();
  await props.set({ unit: 's', digits: 1 }, { signal });
  expect(userProps.shared).toEqual({ unit: 's', digits: 1 });
  expect(() => userProps.check({ unit: 'min' })).toThrow(/minutes have no digits/);
  await props.set({ digits: 0 }, { signal });
  expect(() => userProps.check({ unit: 'min' })).not.toThrow();
});

// proves: props.user-load
test('perUser with a name that is not a prop stops the load', async () => {
  // As an author without types would write it.
  const wrong = defineProps(z.object({ a: z.string().default('') }), { perUser: ['b' as never] });
  await expect(compile(bundleWith([], { props: wrong }))).rejects.toThrow(
    /perUser names “b”, which is not a key of the props/,
  );
});

// proves: props.user
test('what users set cannot change the settings of agents', async () => {
  const { userProps, agents } = await compile(bundleWith([], more));
  const wanted = { main: { budgets: { rounds: 1 } } };
  expect(() => userProps.check({ agents: wanted })).toThrow(
    /users cannot set agents: only unit, digits/,
  );
  expect(userProps.fitting({ react: { max_iterations: 1 } })).toEqual({});
  expect(agents[0].budgets.rounds).toBeGreaterThan(1);
});
