import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDirectoryBlobStore } from '../../runtime/adapters/directory/blob-store.ts';
import { openPglite } from '../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../runtime/adapters/sql/database/postgres.ts';
import { openSqlTimelineStore } from '../../runtime/adapters/sql/store/timeline-store.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { Uploads } from '../../runtime/gateway/files/uploads.ts';
import { Inspector } from '../../runtime/gateway/inspection/inspector.ts';
import type { KeyValueStore } from '../../runtime/sdk/compile/host/key-value-store.ts';
import { openDatabase } from '../tools/services/shared-postgres.ts';

const sender = { tenant: 'dev', project: 'dev', user: 'ann' };
const { signal } = new AbortController();
const file = Buffer.from('a,b\n1,2\n'.repeat(400_000));
const announced = { name: 'a.csv', mime: 'text/csv', size: file.byteLength };

type Ends = { readonly near: KeyValueStore; readonly far: KeyValueStore };
const stores: Readonly<Record<string, (scope: Scope) => Promise<Ends>>> = {
  pglite: async (scope) => {
    const database = await openPglite({ dir: undefined });
    const { values } = scope.own(await openSqlTimelineStore(database));
    return { near: values, far: values };
  },
  postgres: async (scope) => {
    const url = await openDatabase();
    const open = async () => await openSqlTimelineStore(openPostgres({ url, log: silentLog }));
    return { near: scope.own(await open()).values, far: scope.own(await open()).values };
  },
};

describe.each(Object.entries(stores))('uploads over %s', (_, open) => {
  const scope = new Scope();
  let near: Uploads;
  let far: Uploads;
  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'timeloom-uploads-'));
    scope.defer(() => rm(dir, { recursive: true }));
    const blobs = scope.own(await openDirectoryBlobStore(dir));
    const ends = await open(scope);
    const inspector = scope.own(new Inspector());
    const parts = { blobs, clock: systemClock, ids: randomIds, inspector };
    near = new Uploads({ ...parts, storage: ends.near });
    far = new Uploads({ ...parts, storage: ends.far });
  });
  afterAll(() => scope[Symbol.asyncDispose]());

  // proves: uploads.restart
  test('what one process has begun another ends, and either gives it to a message', async () => {
    const { id } = await near.create(announced, sender);
    const begun = await far.find(id, sender);
    await far.append(begun, breaking(file.subarray(0, 1_000_001)), { sender, signal });
    const state = await near.find(id, sender);
    expect(state.offset).toBe(1_000_001);
    await near.append(state, pieces(file.subarray(state.offset)), { sender, signal });
    const taken = await far.take(id, { sender, signal });
    expect(taken).toMatchObject({ name: 'a.csv', blob: { size: file.byteLength } });
    expect(await near.take(id, { sender, signal })).toEqual(taken);
  });

  // proves: uploads.resumed
  test('a connection that is cut and the one after it may both still write', async () => {
    const { id } = await near.create(announced, sender);
    const begun = await near.find(id, sender);
    const half = file.subarray(0, 1_300_000);
    await Promise.all([
      near.append(begun, pieces(half), { sender, signal }),
      far.append(begun, pieces(file.subarray(0, 900_000)), { sender, signal }),
    ]);
    const state = await far.find(id, sender);
    expect(state.offset).toBe(1_300_000);
    await far.append(state, pieces(file.subarray(state.offset)), { sender, signal });
    const { blob } = await near.take(id, { sender, signal });
    const whole = await near.create(announced, sender);
    await near.append(whole, pieces(file), { sender, signal });
    expect((await near.take(whole.id, { sender, signal })).blob).toEqual(blob);
  });
});

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += 65_521) yield bytes.subarray(at, at + 65_521);
}

async function* breaking(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* pieces(bytes);
  throw new Error('the connection is gone');
}
