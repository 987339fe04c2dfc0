import { createHash } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeHostLock } from '../../../../supervisor/cell/host-lock.ts';
import type { Clock } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import type { ExternalPlace } from '../../../engine/ports/external-agent.ts';
import { workspaceLockMsMax, workspaceLockPollMs } from './limits.ts';

/** Removes every workspace of a conversation. */
export async function removeWorkspaces(
  root: string,
  place: Pick<ExternalPlace, 'key'>,
): Promise<void> {
  await rm(conversationFolder(root, place), { recursive: true, force: true });
}

function conversationFolder(root: string, { key }: Pick<ExternalPlace, 'key'>) {
  return join(root, String(key));
}

export function folderOf(root: string, place: ExternalPlace): string {
  const agent = nameOf(place.agent, place.program.program);
  return join(conversationFolder(root, place), agent);
}

function nameOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** The folders of a workspace; those of the program belong to its user when it starts. */
export async function makeFolders(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  for (const name of ['inputs', 'egress'])
    await mkdir(join(folder, name), { recursive: true, mode: 0o755 });
  for (const name of ['workspace', 'home'])
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  // The user of the sandbox must be able to reach its folders.
  await chmod(folder, 0o711);
}

/** Undefined: a process has the workspace open. */
export function tryLockWorkspace(folder: string): Promise<AsyncDisposable | undefined> {
  return takeHostLock(`agent-${nameOf(folder)}`);
}

/** Fault `AGENT_FAILED` if another process keeps the workspace. */
export async function lockWorkspace(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  const until = clock.monotonic() + workspaceLockMsMax;
  for (;;) {
    const held = await tryLockWorkspace(folder);
    if (held) return held;
    if (clock.monotonic() > until)
      throw new Fault('AGENT_FAILED', { because: 'another process has its workspace open' });
    await clock.sleep(workspaceLockPollMs, { signal });
  }
}
