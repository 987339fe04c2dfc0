import { expect, test } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../../runtime/base/log.ts';
import { userPropsKey, userPropsSpace } from '../../../runtime/sdk/compile/context/user-props.ts';
import type { BundleHost } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { storageSpace } from '../../../runtime/sdk/compile/host/spaces.ts';
import { loadBundle } from '../../../runtime/sdk/compile/lifecycle/bundle-lifecycle.ts';
import { createProblems } from '../../../runtime/sdk/compile/validate/problems.ts';
import { isDefinition } from '../../../runtime/sdk/define/definition.ts';
import { defineAgent, defineBundle, defineSecret } from '../../../runtime/sdk/index.ts';
import { type CallId, toCallId } from '../../../runtime/timeline/ids.ts';
import { createTool } from '../../../runtime/tools/definition/create-tool.ts';
import type { TurnBudget } from '../../../runtime/tools/ports/turn-budget.ts';
import { OpenCalls } from '../../../supervisor/bundle-process/parent/open-calls.ts';
import { serveBundle } from '../../../supervisor/bundle-process/parent/serve-bundle.ts';
import { hostMethods } from '../../../supervisor/bundle-process/rpc/rpc-protocol.ts';
import { openWorld } from '../../runtime/tools/kit.ts';
import { openPeers } from './peer-kit.ts';

const tool = createTool({
  id: 'a.b',
  kind: 'bundle',
  description: 'Anything.',
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: null } }),
});

/** A process of the bundle `desk` of acme that says what it likes, while ann has a call under way. */
async function openLiar() {
  const asked: unknown[] = [];
  const storage = createMemoryStorage(() => 0);
  const host: BundleHost = {
    tenant: 'acme',
    project: 'ops',
    log: silentLog,
    fetch: globalThis.fetch,
    storage,
    secret: async (request) => {
      asked.push(request);
      return 'value';
    },
    generate: async ({ prompt }, { ids, budget }) => {
      await budget?.charge({ prompt });
      return ids.call ?? 'no call';
    },
  };
  const definition = defineBundle({
    id: 'desk',
    version: '1',
    agents: [defineAgent({ id: 'main', instruction: 'Help.' })],
    secrets: [
      defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' }),
      defineSecret({ id: 'OWN', for: 'user', description: 'of the user' }),
    ],
  });
  if (!isDefinition('bundle', definition)) throw new Error('no bundle');
  const loaded = loadBundle(definition, { dir: '/', revision: 'r', host }, createProblems());
  const calls = new OpenCalls();
  const world = await openWorld();
  const charged: unknown[] = [];
  const budget: TurnBudget = {
    ...{ isSpent: false, leftMs: 1 },
    reserve: async () => ({ [Symbol.dispose]: () => undefined }),
    charge: async (data) => {
      charged.push(data);
    },
  };
  const context = await world.contextOf(tool, {}, { call: toCallId('tc_own') });
  const call = calls.open({ ...context, budget }, 'main');
  const { signal } = new AbortController();
  const peers = openPeers(serveBundle({ loaded, calls, signal }));
  return { ...peers, calls, call, asked, charged, storage };
}

// proves: supervisor.own-secrets
test('a process gets no undeclared secrets and no secrets of other users', async () => {
  await using liar = await openLiar();
  const ask = (id: string, user?: string) =>
    liar.asking.ask(hostMethods.secret, { id, ...(user === undefined ? {} : { user }) });
  await expect(ask('ROOT')).rejects.toMatchObject({ code: 'NOT_IN_BUNDLE' });
  expect(liar.asked).toEqual([]);
  expect(await ask('KEY', 'bob')).toBe('value');
  expect(await ask('OWN', 'bob')).toBe('value');
  expect(await ask('OWN', 'ann')).toBe('value');
  liar.calls.close(liar.call);
  expect(await ask('OWN', 'ann')).toBe('value');
  const own = { id: 'OWN', for: 'user', bundle: 'desk' };
  expect(liar.asked).toEqual([
    { id: 'KEY', for: 'bundle', bundle: 'desk' },
    own,
    { ...own, user: 'ann' },
    own,
  ]);
});

// proves: budget.separate
test('a process can request a model for a call, which pays, only while the call is running', async () => {
  await using liar = await openLiar();
  const ask = (call?: CallId) =>
    liar.asking.ask(hostMethods.generate, {
      ...{ generation: '1', role: 'small', prompt: 'hi', schema: null },
      ...(call === undefined ? {} : { call }),
    });
  expect(await ask(toCallId('tc_own'))).toBe('tc_own');
  expect(liar.charged).toEqual([{ prompt: 'hi' }]);
  await expect(ask(toCallId('tc_other'))).rejects.toMatchObject({ code: 'call_over' });
  liar.calls.close(liar.call);
  await expect(ask(toCallId('tc_own'))).rejects.toMatchObject({ code: 'call_over' });
  expect(await ask()).toBe('no call');
  expect(liar.charged).toHaveLength(1);
});

test('a process can use values of its bundle, and values of a user only while a call of that user is running', async () => {
  await using liar = await openLiar();
  const ids = { tenant: 'acme', project: 'ops', bundle: 'desk', revision: 'r' };
  const set = (space: string) => liar.asking.ask(hostMethods.set, { space, key: 'k', value: 1 });
  const ann = storageSpace({ ...ids, user: 'ann' }, 'user');
  await set(storageSpace(ids, 'bundle'));
  await set(ann);
  await set(storageSpace({ ...ids, user: 'ann', conversation: 'conv_main' }, 'conversation'));
  const foreign = [
    storageSpace({ ...ids, user: 'bob' }, 'user'),
    storageSpace({ ...ids, tenant: 'globex' }, 'bundle'),
    storageSpace({ ...ids, bundle: 'other' }, 'bundle'),
    storageSpace({ ...ids, user: 'ann', conversation: 'conv_other' }, 'conversation'),
    storageSpace({ ...ids, user: 'bob', conversation: 'conv_main' }, 'conversation'),
    'anything',
  ];
  for (const space of foreign)
    await expect(set(space)).rejects.toMatchObject({ code: 'call_over' });
  liar.calls.close(liar.call);
  await expect(set(ann)).rejects.toMatchObject({ code: 'call_over' });
  await set(storageSpace(ids, 'bundle'));
});

// proves: props.user-separate
test('a process can read the props of a user while a call of that user is running, and cannot set them', async () => {
  await using liar = await openLiar();
  const place = { tenant: 'acme', project: 'ops', bundle: 'desk' };
  const ann = userPropsSpace({ ...place, user: 'ann' });
  await liar.storage.set(ann, userPropsKey, { value: { unit: 's' } });
  const get = (space: string) => liar.asking.ask(hostMethods.get, { space, key: userPropsKey });
  expect(await get(ann)).toEqual({ value: { unit: 's' } });
  const over = { code: 'call_over' };
  await expect(get(userPropsSpace({ ...place, user: 'bob' }))).rejects.toMatchObject(over);
  const other = userPropsSpace({ ...place, bundle: 'other', user: 'ann' });
  await expect(get(other)).rejects.toMatchObject(over);
  const key = userPropsKey;
  const writes = [
    liar.asking.ask(hostMethods.set, { space: ann, key, value: { unit: 'h' } }),
    liar.asking.ask(hostMethods.delete, { space: ann, key }),
  ];
  for (const write of writes) await expect(write).rejects.toMatchObject(over);
  liar.calls.close(liar.call);
  await expect(get(ann)).rejects.toMatchObject(over);
  expect(await liar.storage.get(ann, key)).toEqual({ unit: 's' });
});
