import type { Socket } from 'node:net';
import { acceptExecutor } from '../../../../supervisor/connection/proxy.ts';
import { Fault } from '../../../base/fault.ts';
import type { Room } from '../keeper/disk-quota.ts';
import { FromKeeper, type ToKeeper, toLine, wordsIn } from '../keeper/keeper-messages.ts';
import { type Once, once } from '../queue/deferred.ts';
import { keeperSocketPath } from '../settings/settings.ts';

/** The keeper of a task, as its supervisor has it. */
export interface Keeper {
  /** The first place that the program has put more into than it may. */
  readonly full: Promise<string>;
  /** Rejects when there is no keeper any more: nobody measures then. */
  readonly lost: Promise<never>;
  /** Paths beneath OUTPUT_DIR are open to others as far as the program's user can open them. */
  unlock(paths: readonly string[]): Promise<void>;
}

/** It watches these rooms from here on. */
export async function awaitKeeper(rooms: readonly Room[]): Promise<Keeper> {
  const socket = await acceptExecutor(keeperSocketPath);
  say(socket, { type: 'watch', rooms: [...rooms] });
  const full = once<string>();
  let unlocked: Once<void> = once();
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
      unlocked = once();
      say(socket, { type: 'unlock', paths: [...paths] });
      await Promise.race([unlocked.value, lost]);
    },
  };
}

async function follow(socket: Socket, take: (word: FromKeeper) => void): Promise<never> {
  for await (const word of wordsIn(socket, FromKeeper)) take(word);
  throw new Fault('EXEC_FAILED', { because: 'the keeper of the task has ended' });
}

function say(socket: Socket, word: ToKeeper): void {
  socket.write(toLine(word));
}
