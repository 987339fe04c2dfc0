import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDirectoryBlobStore } from '../../../../runtime/adapters/directory/blob-store.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import {
  type BlobUpkeep,
  deleteOrphanBlobs,
} from '../../../../runtime/engine/background/delete-orphan-blobs.ts';
import {
  orphanBlobMs,
  orphanPageMax,
  orphanSearchEveryMs,
  orphanSearchMsMax,
} from '../../../../runtime/engine/limits.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import type {
  BlobInventory,
  BlobListing,
  BlobStore,
} from '../../../../runtime/timeline/ports/blobs.ts';
import { append, signal, started, thought } from '../../../contract/timeline-store/kit.ts';
import { runs } from '../../../tools/runs.ts';

let owned: Scope;
beforeEach(() => {
  owned = new Scope();
});
afterEach(() => owned[Symbol.asyncDispose]());

type Blobs = BlobStore & BlobInventory;
type World = { readonly clock: ReturnType<typeof manualClock>; readonly blobs: Blobs };

/** A store in memory, over the same clock as everything else. */
function inMemory(): World {
  const clock = manualClock();
  return { clock, blobs: owned.own(openMemoryBlobStore({ now: () => clock.now() })) };
}

/** The same store; `listed` runs after each page. */
function watch(
  blobs: Blobs,
  listed: (options: BlobListing) => Promise<unknown>,
): BlobUpkeep['blobs'] {
  return {
    list: async (tenant, options) => {
      const page = await blobs.list(tenant, options);
      await listed(options);
      return page;
    },
    remove: (...args) => blobs.remove(...args),
    register: (...args) => blobs.register(...args),
  };
}

/** A log with one conversation, and its blobs. */
async function open({ clock, blobs }: World) {
  const store = openMemoryTimelineStore({ clock });
  const storage = createMemoryStorage(clock.now);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
  const { key, lease, sender, conversation } = await started(store);
  const { tenant } = sender;
  const upkeep: BlobUpkeep = {
    ...{ blobs, store, storage, clock, log, ids: randomIds, tenants: [tenant] },
  };
  const put = (text: string, of = tenant) => blobs.put(of, Buffer.from(text), { signal });
  const name = async (text: string) => {
    const block = { ...thought(lease, text), blob: await put(text) };
    return await store.append(key, append(lease, { blocks: [block] }), { signal });
  };
  const isStored = async (text: string, of = tenant) => {
    const { hash } = await openMemoryBlobStore().put(of, Buffer.from(text), { signal });
    return await blobs.get(of, hash, { signal }).then(
      () => true,
      () => false,
    );
  };
  const clean = (over: Partial<BlobUpkeep> = {}) =>
    deleteOrphanBlobs({ ...upkeep, ...over }, { signal });
  const erase = () => store.erase(sender, conversation, { signal });
  await clean();
  return { clock, blobs, storage, tenant, put, name, isStored, clean, erase, warnings };
}

// proves: blobs.orphans
test('bytes that no conversation refers to are removed after two days', async () => {
  const { clock, put, name, isStored, clean } = await open(inMemory());
  await put('an upload without a message');
  await name('a file');
  await clock.advance(orphanBlobMs);
  await put('a young upload');
  await clean();
  expect(await isStored('an upload without a message')).toBe(true);
  await clock.advance(orphanSearchEveryMs);
  await clean();
  expect(await isStored('an upload without a message')).toBe(false);
  expect(await isStored('a young upload')).toBe(true);
  expect(await isStored('a file')).toBe(true);
});

test('what a turn stores while its conversation is erased is removed', async () => {
  const { clock, name, isStored, clean, erase } = await open(inMemory());
  await erase();
  expect(await name('a late result')).toMatchObject({ status: 'gone' });
  await clock.advance(orphanBlobMs + orphanSearchEveryMs);
  await clean();
  expect(await isStored('a late result')).toBe(false);
});

test('bytes that were put again stay, also if they are put during the search', async () => {
  const { clock, blobs, put, isStored, clean } = await open(inMemory());
  for (const text of ['again', 'meanwhile', 'old']) await put(text);
  await clock.advance(orphanBlobMs + 1);
  await put('again');
  await clean({ blobs: watch(blobs, () => put('meanwhile')) });
  const stored = await Promise.all(['again', 'meanwhile', 'old'].map((text) => isStored(text)));
  expect(stored).toEqual([true, true, false]);
});

test('a search that takes too long is continued by the next run, at its page', async () => {
  const { clock, blobs, tenant, put, clean } = await open(inMemory());
  const count = 2 * orphanPageMax + 1;
  for (let n = 0; n < count; n += 1) await put(`${n}`);
  await clock.advance(orphanBlobMs + 1);
  const starts: (string | undefined)[] = [];
  const slow = watch(blobs, async ({ after }) => {
    starts.push(after);
    await clock.advance(orphanSearchMsMax);
  });
  for (let run = 0; run < 4; run += 1) await clean({ blobs: slow });
  expect(starts).toHaveLength(3);
  expect(new Set(starts).size).toBe(3);
  const left = await blobs.list(tenant, { putBefore: clock.now(), limit: 9, signal });
  expect(left.hashes).toEqual([]);
});

test('a search begins once a day', async () => {
  const { clock, blobs, clean } = await open(inMemory());
  let searches = 0;
  const counted = watch(blobs, async () => {
    searches += 1;
  });
  await clock.advance(orphanBlobMs + 1);
  for (const ms of [0, orphanSearchEveryMs - 1, 1, 1]) {
    await clock.advance(ms);
    await clean({ blobs: counted });
  }
  expect(searches).toBe(2);
});

test('tenants that are not served keep their bytes', async () => {
  const { clock, put, isStored, clean, tenant } = await open(inMemory());
  for (const of of ['globex', 'other', tenant]) await put('old', of);
  await clock.advance(orphanBlobMs + 1);
  await clean({ tenants: [tenant, 'globex', 'globex'] });
  const stored = await Promise.all([tenant, 'globex', 'other'].map((of) => isStored('old', of)));
  expect(stored).toEqual([false, false, true]);
});

// proves: blobs.shared-store
test('nothing is removed from a store that another installation uses, and a warning says so', async () => {
  const { clock, blobs, put, isStored, clean, warnings } = await open(inMemory());
  await put('of the other installation');
  await blobs.register('op_other', { signal });
  for (let day = 0; day < 4; day += 1) {
    await clock.advance(orphanSearchEveryMs);
    await clean();
    await clean();
  }
  expect(await isStored('of the other installation')).toBe(true);
  expect(warnings).toHaveLength(4);
});

async function inFolder(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-orphans-'));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  const blobs = owned.own(await openDirectoryBlobStore(folder));
  const clock = manualClock(new Date().toISOString());
  const advance = async (ms: number) => {
    const at = (clock.now() - ms) / 1_000;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) await utimes(join(parentPath, name), at, at);
  };
  return { clock: { ...clock, advance }, blobs };
}

// proves: blobs.orphans
test.each([
  ['memory', async () => inMemory(), 30],
  ['a folder', inFolder, 8],
] as const)(
  'of writers that race with a search in %s, none loses its bytes',
  async (_, make, times) => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(4), async (written, searches) => {
        const { clock, put, name, isStored, clean } = await open(await make());
        for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) await put(text);
        await clock.advance(orphanBlobMs + 1);
        const all = written.map((text) => () => name(text) as Promise<unknown>);
        all.splice(searches, 0, () => clean());
        await Promise.all(all.map((start) => start()));
        for (const text of written) expect(await isStored(text)).toBe(true);
        expect(await isStored('f')).toBe(false);
      }),
      runs(times),
    );
  },
);
