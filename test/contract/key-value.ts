import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  storedUserProps,
  userPropsKey,
  userPropsSpace,
} from '../../runtime/sdk/compile/context/user-props.ts';
import {
  createKeyValue,
  type EntryStore,
  type KeyValueStore,
} from '../../runtime/sdk/compile/host/key-value-store.ts';
import {
  bundleUserSpace,
  mcpSessionsSpace,
  storageSpace,
  uploadsSpace,
} from '../../runtime/sdk/compile/host/spaces.ts';
import { storageKeysMax, storageTtlMsMax } from '../../runtime/sdk/contract/limits.ts';
import type { Sender } from '../../runtime/timeline/ports/store.ts';
import { newSender } from './timeline-store/kit.ts';

/** Two ends of one store: two connections where there can be two, else the same object twice. */
export type KeyValueUnderTest = AsyncDisposable & {
  readonly near: EntryStore;
  readonly far: EntryStore;
  /** Sets the keys k1 to k‹count›. */
  fill(space: string, count: number): Promise<void>;
  /** Lets time go by for the store. */
  pass(ms: number): Promise<void>;
};

export async function keysOf(store: KeyValueStore, space: string, prefix = '') {
  const keys: string[] = [];
  for await (const key of store.keys(space, prefix)) keys.push(key);
  return keys;
}

/** What every KeyValueStore promises; each test works in a space of its own. */
export function keyValueContract(name: string, open: () => Promise<KeyValueUnderTest>): void {
  describe(`${name} keeps the promises of stored values`, () => {
    let under: KeyValueUnderTest;
    const newSpace = () => newSender().tenant;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(async () => {
      await under[Symbol.asyncDispose]();
    });

    // proves: storage.shared
    test('what one end has set the other reads, of two writes the last, until it is deleted', async () => {
      const { near, far } = under;
      const space = newSpace();
      expect(await near.get(space, 'k')).toBeUndefined();
      await near.set(space, 'k', { value: { n: 1 } });
      expect(await far.get(space, 'k')).toEqual({ n: 1 });
      await far.set(space, 'k', { value: { n: 2 } });
      expect(await near.get(space, 'k')).toEqual({ n: 2 });
      await near.delete(space, 'k');
      await near.delete(space, 'k');
      expect(await far.get(space, 'k')).toBeUndefined();
    });

    // proves: props.user-kept
    test('props of users are kept apart, whatever their names are, until they are replaced', async () => {
      const { tenant } = newSender();
      const space = (bundle: string, user: string) =>
        userPropsSpace({ tenant, project: 'ops', bundle, user });
      const read = (bundle: string, user: string) =>
        storedUserProps(under.far, { tenant, project: 'ops', bundle, user });
      await under.near.set(space('desk', 'a/b'), userPropsKey, { value: { unit: 's', digits: 1 } });
      await under.near.set(space('desk/a', 'b'), userPropsKey, { value: { unit: 'ms' } });
      expect(await read('desk', 'a/b')).toEqual({ unit: 's', digits: 1 });
      expect(await read('desk/a', 'b')).toEqual({ unit: 'ms' });
      expect(await read('desk', 'a')).toEqual({});
      await under.near.set(space('desk', 'a/b'), userPropsKey, { value: { digits: 2 } });
      expect(await read('desk', 'a/b')).toEqual({ digits: 2 });
      await under.near.delete(space('desk', 'a/b'), userPropsKey);
      expect(await read('desk', 'a/b')).toEqual({});
      expect(await read('desk/a', 'b')).toEqual({ unit: 'ms' });
    });

    test.each([null, false, 0, '', 'NUL \0, half a pair \ud800 and 😀', [1e-7, { b: 1, a: [] }]])(
      'a value comes back as it was: %j',
      async (value) => {
        const space = newSpace();
        await under.near.set(space, 'k', { value });
        expect(await under.far.get(space, 'k')).toEqual(value);
      },
    );

    // proves: storage.apart
    test('spaces never meet, whatever their names and keys look like', async () => {
      const { near, far } = under;
      const space = newSpace();
      const long = `${space}${'ü'.repeat(4_000)}`;
      const spaces = [space, `${space}/`, `${space}%`, `${space}/a`, long, `${long}b`];
      for (const each of spaces) await near.set(each, 'k', { value: each });
      await near.delete(`${space}/a`, 'k');
      const found = await Promise.all(spaces.map((each) => far.get(each, 'k')));
      expect(found).toEqual(spaces.map((each) => (each === `${space}/a` ? undefined : each)));
      expect(await keysOf(far, space)).toEqual(['k']);
    });

    test('keys of a prefix come in order of their code points, and the longest key is one', async () => {
      const space = newSpace();
      const most = ['漢', '😀'.repeat(200), 'é'.repeat(400)];
      const keys = ['b', 'a/2', 'a/10', 'a', 'A', 'a%', 'a_', '\uffff', ...most];
      for (const key of keys) await under.near.set(space, key, { value: key });
      const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await keysOf(under.far, space)).toEqual(sorted);
      expect(await keysOf(under.far, space, 'a/')).toEqual(['a/10', 'a/2']);
      expect(await keysOf(under.far, space, 'a%')).toEqual(['a%']);
      expect(await keysOf(under.far, space, 'x')).toEqual([]);
    });

    // proves: storage.shared
    test('all entries of a space come at once, as they are at that moment', async () => {
      const { near, far } = under;
      const space = newSpace();
      expect([...(await far.entries(space))]).toEqual([]);
      await near.set(space, 'b', { value: { n: 1 } });
      await near.set(space, 'a', { value: null });
      await near.set(`${space}/`, 'a', { value: 'another space' });
      await near.set(space, 'gone', { value: 1, ttlMs: 1 });
      await under.pass(1);
      await far.set(space, 'b', { value: { n: 2 } });
      expect(Object.fromEntries(await near.entries(space))).toEqual({ a: null, b: { n: 2 } });
    });

    // proves: storage.ttl
    test('a value whose time is over is no longer there, and neither is its key', async () => {
      const { near, far, pass } = under;
      const space = newSpace();
      await near.set(space, 'short', { value: 1, ttlMs: 1 });
      await near.set(space, 'renewed', { value: 1, ttlMs: 1 });
      await near.set(space, 'kept', { value: 1, ttlMs: 1 });
      await near.set(space, 'long', { value: 1, ttlMs: storageTtlMsMax });
      await pass(1);
      await near.set(space, 'renewed', { value: 2 });
      expect(await far.get(space, 'short')).toBeUndefined();
      expect(await keysOf(far, space)).toEqual(['long', 'renewed']);
      await far.set(space, 'long', { value: 2, ttlMs: 1 });
      await pass(1);
      expect(await keysOf(near, space)).toEqual(['renewed']);
    });

    // proves: storage.limits
    test('a full space takes no new key, changes those it has, and has room again after one goes', async () => {
      const { near, far, pass } = under;
      const space = newSpace();
      await near.set(space, 'first', { value: 1 });
      await under.fill(space, storageKeysMax - 2);
      const racing = ['x', 'y', 'z'].map((key) =>
        far.set(space, key, { value: 1, ttlMs: 60_000 }).catch((error: unknown) => error),
      );
      const refused = (await Promise.all(racing)).filter((each) => each !== undefined);
      expect(refused).toMatchObject([{ code: 'too_many' }, { code: 'too_many' }]);
      await near.set(space, 'first', { value: 2 });
      expect(await far.get(space, 'first')).toBe(2);
      expect(await keysOf(far, space)).toHaveLength(storageKeysMax);
      await near.delete(space, 'k1');
      await far.set(space, 'over', { value: 1, ttlMs: 1 });
      await pass(1);
      await far.set(space, 'new', { value: 1 });
      await expect(near.set(space, 'one more', { value: 1 })).rejects.toMatchObject({
        code: 'too_many',
      });
      await near.set(newSpace(), 'another space', { value: 1 });
    });

    // proves: erase.user-values
    test("a user's values in all bundles, uploads and MCP sessions are removed in steps, and those of others stay", async () => {
      const { near, far } = under;
      const ada = { ...newSender(), user: 'a/d%a' };
      const others = [
        { ...ada, user: 'bob' },
        { ...ada, project: 'other' },
        { ...ada, tenant: newSender().tenant },
      ];
      const spacesOf = (user: Sender) => [
        ...['desk', 'shop/x'].flatMap((bundle) => [
          storageSpace({ ...user, bundle, revision: '' }, 'user'),
          userPropsSpace({ ...user, bundle }),
          bundleUserSpace('secret', { ...user, bundle }),
        ]),
        uploadsSpace(user),
        mcpSessionsSpace(user),
      ];
      const kept = [
        ...others.flatMap(spacesOf),
        storageSpace({ ...ada, bundle: 'desk', revision: '' }, 'bundle'),
        ...['recording', 'user'].map((kind) => `facts/${kind}/${ada.tenant}/${ada.project}/ada`),
        ['spend', ada.tenant, ada.project, 'desk', encodeURIComponent(ada.user)].join('/'),
      ];
      for (const space of [...spacesOf(ada), ...kept]) await near.set(space, 'k', { value: 1 });
      const [first = ''] = spacesOf(ada);
      await under.fill(first, 1_200);
      let steps = 1;
      while (await far.removeUser(ada)) steps += 1;
      expect(steps).toBeLessThan(9);
      for (const space of spacesOf(ada)) expect(await keysOf(near, space)).toEqual([]);
      for (const space of kept) expect(await keysOf(near, space)).toEqual(['k']);
      expect(await far.removeUser(ada)).toBe(false);
    });

    test('an invalid key or time is refused before it comes to a store', async () => {
      const values = createKeyValue(under.near, newSpace());
      for (const key of ['', 'x'.repeat(401), 'a\0', '\ud800']) {
        await expect(values.set(key, 1)).rejects.toMatchObject({ code: 'invalid_key' });
      }
      for (const ttlMs of [0, -1, Number.NaN, storageTtlMsMax + 1]) {
        await expect(values.set('k', 1, { ttlMs })).rejects.toMatchObject({ code: 'invalid_ttl' });
      }
    });
  });
}
