import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyFileIn } from '../../../../runtime/adapters/secrets/key-file.ts';
import { createUserSecrets } from '../../../../runtime/adapters/secrets/user-secrets.ts';
import type { Json } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';

const ann = { tenant: 'acme', project: 'ops', user: 'ann', bundle: 'desk', id: 'CRM_KEY' };
const value = 'the-key-of-ann';

function open(secret = 'a secret of the installation') {
  const kept: { space: string; key: string; value: Json }[] = [];
  const storage = createMemoryStorage(() => 0);
  const set: typeof storage.set = async (space, key, entry) => {
    kept.push({ space, key, value: entry.value });
    await storage.set(space, key, entry);
  };
  const openWith = (other: string) =>
    createUserSecrets({
      storage: { ...storage, set },
      secret: async () => other,
      log: silentLog,
    });
  return { secrets: openWith(secret), kept, storage, openWith };
}

// proves: secrets.encrypted
test('a value is stored encrypted, twice differently, and is read back until it is deleted', async () => {
  const { secrets, kept } = open();
  await secrets.set(ann, value);
  await secrets.set(ann, value);
  expect(JSON.stringify(kept)).not.toContain(value);
  expect(kept[0]?.value).not.toEqual(kept[1]?.value);
  expect(await secrets.get(ann)).toBe(value);
  await secrets.delete(ann);
  expect(await secrets.get(ann)).toBeUndefined();
});

// proves: secrets.encrypted
test('a value copied to another user, or read with another key, is not a value', async () => {
  const { secrets, kept, storage, openWith } = open();
  await secrets.set(ann, value);
  const bob = { ...ann, user: 'bob' };
  await secrets.set(bob, 'other');
  const [first, second] = kept;
  await storage.set(second?.space ?? '', 'CRM_KEY', { value: first?.value ?? null });
  expect(await secrets.get(bob)).toBeUndefined();
  expect(await secrets.get({ ...ann, id: 'OTHER' })).toBeUndefined();
  expect(await openWith('another secret').get(ann)).toBeUndefined();
});

// proves: secrets.encrypted
test('the key file is made once, readable by its owner only', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-key-'));
  try {
    const made = await Promise.all([keyFileIn(dir), keyFileIn(dir), keyFileIn(dir)]);
    expect(new Set([...made, await keyFileIn(dir)]).size).toBe(1);
    expect((await stat(join(dir, 'secrets.key'))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(dir, { recursive: true });
  }
});
