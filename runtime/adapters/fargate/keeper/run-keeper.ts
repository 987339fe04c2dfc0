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
 * Of the same user as a task's program, in a container of its own: what only the owner of files can do for a supervisor
 * that has no rights. Where no disk has a limit it measures; what a program has locked it opens. Until the supervisor
 * hangs up.
 */
export async function runKeeper(): Promise<void> {
  const socket = await connectSupervisor();
  const hungUp = new AbortController();
  let watch: Promise<void> | undefined;
  for await (const word of readMessages(socket, ToKeeper)) {
    if (word.type === 'watch') watch ??= watchQuotas(word.rooms, { socket, signal: hungUp.signal });
    else await unlockAll(word.paths, socket);
  }
  hungUp.abort();
  await watch;
}

/** It starts at the same time. */
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
  rooms: readonly DiskQuota[],
  { socket, signal }: { socket: Socket; signal: AbortSignal },
): Promise<void> {
  const uid = process.getuid?.();
  invariant(uid !== undefined, 'a task is Linux');
  while (!signal.aborted) {
    const full = rooms.find((room) => exceedsQuota(room, uid));
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
