import type { Socket } from 'node:net';
import { acceptExecutor } from '../../../../supervisor/connection/proxy.ts';
import { Fault } from '../../../base/fault.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import { FromKeeper, readMessages, type ToKeeper, toLine } from '../keeper/keeper-messages.ts';
import { createDeferred, type Deferred } from '../queue/deferred.ts';
import { keeperSocketPath } from '../settings/settings.ts';

/** The keeper of a task, as its supervisor has it. */
export interface KeeperClient {
  /** The first place that the program has put more into than it may. */
  readonly full: Promise<string>;
  /** Rejects when there is no keeper any more: nobody measures then. */
  readonly lost: Promise<never>;
  /** Paths beneath OUTPUT_DIR are open to others as far as the program's user can open them. */
  unlock(paths: readonly string[]): Promise<void>;
}

/** It watches these rooms from here on. */
export async function awaitKeeper(rooms: readonly DiskQuota[]): Promise<KeeperClient> {
  const socket = await acceptExecutor(keeperSocketPath);
  send(socket, { type: 'watch', rooms: [...rooms] });
  const full = createDeferred<string>();
  let unlocked: Deferred<void> = createDeferred();
  const lost = follow(socket, (word) => {
    if (word.type === 'full') full.settle(word.path);
    else unlocked.settle();
  });
  // Whoever needs it hears of it.
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

async function follow(socket: Socket, take: (word: FromKeeper) => void): Promise<never> {
  for await (const word of readMessages(socket, FromKeeper)) take(word);
  throw new Fault('EXEC_FAILED', { because: 'the keeper of the task has ended' });
}

function send(socket: Socket, word: ToKeeper): void {
  socket.write(toLine(word));
}
