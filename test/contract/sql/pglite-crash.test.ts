import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { type ConversationKey, toConversationKey } from '../../../runtime/timeline/ids.ts';
import { log } from '../timeline-store/kit.ts';

// Disks that others use too take their time.
vi.setConfig({ testTimeout: 600_000 });

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-crash-'));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

test('a process killed while it writes loses nothing that it was answered, and its directory can be had at once', async () => {
  const dir = join(root, 'killed');
  const child = writer([dir]);
  const acked = await heads(child, 25);
  await expect(openPgliteTimelineStore({ dir })).rejects.toMatchObject({ code: 'DATA_DIR_HELD' });
  const last = (await killed(child, acked)).at(-1);
  await using store = await openPgliteTimelineStore({ dir });
  const blocks = await log(store, toConversationKey(last?.key ?? 0));
  expect(blocks.length).toBeGreaterThanOrEqual(last?.head ?? 0);
  expect(blocks.map(({ seq }) => seq)).toEqual(blocks.map((_, index) => index + 1));
  // An append is there whole or not at all: it carries two blocks, after the two of the prompt.
  expect(blocks.length % 2).toBe(0);
});

test('a durable store waits for the disk at every commit', async () => {
  const hook = join(import.meta.dirname, '../timeline-store/count-syncs.cjs');
  const child = writer([join(root, 'durable'), 'durable'], ['--require', hook]);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      said[name] += String(chunk);
    });
  }
  const closed = once(child, 'close');
  const lines = (text: string) => text.split('\n').length - 1;
  await expect.poll(() => lines(said.stdout)).toBeGreaterThan(20);
  child.kill('SIGKILL');
  await closed;
  // Each reply was written after the disk had what it tells of.
  expect(lines(said.stderr)).toBeGreaterThanOrEqual(lines(said.stdout));
});

test('a lease of a dead process is free at once, and its fence is passed', async () => {
  const dir = join(root, 'leases');
  const child = writer([dir]);
  const [first] = await heads(child, 1);
  await killed(child, []);
  await using store = await openPgliteTimelineStore({ dir });
  const { signal } = new AbortController();
  const key = first?.key ?? toConversationKey(0);
  const lease = await store.acquire(key, { worker: 'next', ttlMs: 10_000, signal });
  expect(lease?.fence).toBe(2);
});

// proves: storage.paused-holder
test('a process that was paused while another one took its directory over writes nothing more and ends with the reason', async () => {
  const dir = join(root, 'paused');
  // In a pid namespace of its own the process cannot be seen from here, as in a container.
  const child = writer([dir], [], ['unshare', '--pid', '--fork', '--mount-proc']);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  const last = (await heads(child, 25)).at(-1);
  const pid = await childOf(child.pid ?? 0);
  process.kill(pid, 'SIGSTOP');
  await using store = await openPgliteTimelineStore({ dir });
  const found = await log(store, toConversationKey(last?.key ?? 0));
  const closed = once(child, 'close');
  process.kill(pid, 'SIGCONT');
  await closed;
  expect(errors).toContain('DATA_DIR_HELD');
  expect(await log(store, toConversationKey(last?.key ?? 0))).toEqual(found);
});

// proves: bad.data-dir
test('a directory that cannot be made says so', async () => {
  await writeFile(join(root, 'file'), '');
  const dir = join(root, 'file', 'data');
  await expect(openPgliteTimelineStore({ dir })).rejects.toMatchObject({
    code: 'DATA_DIR_UNWRITABLE',
  });
});

type Acked = { readonly key: ConversationKey; readonly head: number };

function writer(
  args: readonly string[],
  flags: readonly string[] = [],
  within: readonly string[] = [],
): ChildProcess {
  const program = join(import.meta.dirname, '../timeline-store/append-forever.ts');
  const options = [...flags, '--import', 'tsx', '--conditions=timeloom-source', program, ...args];
  const [command = '', ...rest] = [...within, process.execPath, ...options];
  return spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The process that `unshare --fork` has started. */
async function childOf(pid: number): Promise<number> {
  return Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'));
}

/** The next `count` replies that the writer reports. */
async function heads(child: ChildProcess, count: number): Promise<readonly Acked[]> {
  const found: Acked[] = [];
  if (!child.stdout) throw new Error('the writer has no output');
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit').then(() => lines.close());
  for await (const line of lines) {
    const [key = 0, head = 0] = line.split(' ').map(Number);
    found.push({ key: toConversationKey(key), head });
    if (found.length === count) break;
  }
  if (found.length < count) await exited;
  expect(found).toHaveLength(count);
  return found;
}

async function killed(child: ChildProcess, acked: readonly Acked[]): Promise<readonly Acked[]> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  return acked;
}
