import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { invariant } from '../../../base/assert.ts';
import { quotaCheckEveryMs } from '../settings/limits.ts';
import { folders, keeperSocketPath } from '../settings/settings.ts';
import { type DiskQuota, exceedsQuota } from './disk-quota.ts';
import { readMessages, ToKeeper, toLine } from './keeper-messages.ts';
import { unlock } from './unlock.ts';

/**
 * The keeper runs as the program's user in a container of its own and does what only the owner of files can do for an
 * unprivileged supervisor: it measures disk use, since the disks have no limits, and opens files that the program has
 * locked. Ends when the supervisor closes the connection.
 */
export async function runKeeper(): Promise<void> {
  const socket = await connectSupervisor();
  const hungUp = new AbortController();
  let watch: Promise<void> | undefined;
  for await (const message of readMessages(socket, ToKeeper)) {
    if (message.type === 'watch')
      watch ??= watchQuotas(message.rooms, { socket, signal: hungUp.signal });
    else await unlockAll(message.paths, socket);
  }
  hungUp.abort();
  await watch;
}

/** The supervisor starts at the same time, so the socket may not exist yet. */
async function connectSupervisor(): Promise<Socket> {
  for (;;) {
    const socket = connect(keeperSocketPath);
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (connected) return socket;
    await sleep(10);
  }
}

async function watchQuotas(
  quotas: readonly DiskQuota[],
  { socket, signal }: { socket: Socket; signal: AbortSignal },
): Promise<void> {
  const uid = process.getuid?.();
  invariant(uid !== undefined, 'a task is Linux');
  while (!signal.aborted) {
    const full = quotas.find((quota) => exceedsQuota(quota, uid));
    if (full) {
      socket.write(toLine({ type: 'full', path: full.path }));
      return;
    }
    await sleep(quotaCheckEveryMs);
  }
}

async function unlockAll(paths: readonly string[], socket: Socket): Promise<void> {
  await using root = await open(folders.out, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const path of paths) await unlock(root, path);
  socket.write(toLine({ type: 'unlocked' }));
}
