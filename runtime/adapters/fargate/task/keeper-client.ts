import type { Socket } from 'node:net';
import { acceptExecutor } from '../../../../supervisor/connection/proxy.ts';
import { Fault } from '../../../base/fault.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import { FromKeeper, readMessages, type ToKeeper, toLine } from '../keeper/keeper-messages.ts';
import { createDeferred, type Deferred } from '../queue/deferred.ts';
import { keeperSocketPath } from '../settings/settings.ts';

/** The supervisor's connection to the keeper of its task. */
export interface KeeperClient {
  /** The first folder whose quota the program exceeds. */
  readonly full: Promise<string>;
  /** Rejects when the keeper has ended, since disk use is no longer measured then. */
  readonly lost: Promise<never>;
  /** Makes paths below OUTPUT_DIR readable for other users, as far as the program's user can. */
  unlock(paths: readonly string[]): Promise<void>;
}

/** Waits for the keeper to connect and lets it watch these quotas. */
export async function awaitKeeper(quotas: readonly DiskQuota[]): Promise<KeeperClient> {
  const socket = await acceptExecutor(keeperSocketPath);
  send(socket, { type: 'watch', rooms: [...quotas] });
  const full = createDeferred<string>();
  let unlocked: Deferred<void> = createDeferred();
  const lost = follow(socket, (message) => {
    if (message.type === 'full') full.settle(message.path);
    else unlocked.settle();
  });
  // Handled by those who await it.
  lost.catch(() => undefined);
  return {
    full: full.value,
    lost,
    unlock: async (paths) => {
      unlocked = createDeferred();
      send(socket, { type: 'unlock', paths: [...paths] });
      await Promise.race([unlocked.value, lost]);
    },
  };
}

async function follow(socket: Socket, take: (message: FromKeeper) => void): Promise<never> {
  for await (const message of readMessages(socket, FromKeeper)) take(message);
  throw new Fault('EXEC_FAILED', { because: 'the keeper of the task has ended' });
}

function send(socket: Socket, message: ToKeeper): void {
  socket.write(toLine(message));
}
