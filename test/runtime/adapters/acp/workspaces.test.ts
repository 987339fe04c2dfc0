import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnused } from '../../../../runtime/adapters/acp/workspace/remove-unused.ts';
import { Workspace } from '../../../../runtime/adapters/acp/workspace/workspace.ts';
import { removeWorkspaces } from '../../../../runtime/adapters/acp/workspace/workspace-folder.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';

const { signal } = new AbortController();
const dayMs = 24 * 60 * 60 * 1000;

async function openRoot() {
  const root = await mkdtemp(join(tmpdir(), 'timeloom-run-workspaces-'));
  const blobs = openMemoryBlobStore();
  return {
    root,
    open: async (key: number, agent: string) => {
      const program = { program: 'demo', files: [], egress: [], mcpServers: [] };
      const place = { key, agent, tenant: 'acme', program };
      const workspace = await Workspace.open(
        place,
        { root, blobs, clock: systemClock },
        { signal },
      );
      await workspace.keepSession('s1');
      return workspace;
    },
    [Symbol.asyncDispose]: async () => {
      await blobs[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** As if it had been used this long ago. */
async function age({ folder }: Workspace, days: number): Promise<void> {
  const then = new Date(Date.now() - days * dayMs);
  await utimes(join(folder, 'state.json'), then, then);
}

// proves: external.kept
test('a workspace that was unused for long is removed; one that is in use, or younger, stays', async () => {
  await using place = await openRoot();
  const old = await place.open(1, 'coder');
  await old[Symbol.asyncDispose]();
  await age(old, 31);
  await using inUse = await place.open(2, 'coder');
  await age(inUse, 31);
  const young = await place.open(3, 'coder');
  await young[Symbol.asyncDispose]();
  await age(young, 29);
  const beforeMs = Date.now() - 30 * dayMs;
  expect(await removeUnused(place.root, { beforeMs, signal })).toBe(1);
  expect((await readdir(place.root)).sort()).toEqual(['2', '3']);
  expect([old, inUse, young].map(({ folder }) => existsSync(folder))).toEqual([false, true, true]);
});

// proves: external.kept
test('the workspaces of all agents go with their conversation, and no others', async () => {
  await using place = await openRoot();
  const made = [
    await place.open(1, 'coder'),
    await place.open(1, 'writer'),
    await place.open(2, 'coder'),
  ];
  for (const each of made) await each[Symbol.asyncDispose]();
  await removeWorkspaces(place.root, { key: 1 });
  expect(made.map(({ folder }) => existsSync(folder))).toEqual([false, false, true]);
});

test('a folder of workspaces that does not exist has none', async () => {
  expect(await removeUnused('/nowhere/at/all', { beforeMs: 0, signal })).toBe(0);
});
