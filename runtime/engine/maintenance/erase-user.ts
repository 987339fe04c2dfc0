import type { Clock } from '../../base/clock.ts';
import type { EntryStore } from '../../sdk/compile/host/key-value-store.ts';
import type { UserErasure } from '../../timeline/ports/erasures.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { erasureSettleMs, userConversationsPageMax, userErasureWaitMs } from '../limits.ts';
import { type ErasingParts, eraseConversation } from './erase-conversation.ts';

export type UserErasingParts = ErasingParts & {
  readonly storage: Pick<EntryStore, 'removeUser'>;
  readonly clock: Clock;
};

/** `untilMs`: nothing new is begun after this time of the clock. */
type Waits = { readonly untilMs: number; readonly signal: AbortSignal };

/**
 * Erases everything that a user has at the time of the call: conversations, stored values, secrets, props, uploads and facts.
 * What they have spent is kept. Durable when it resolves. `erasing`: something is left after `userErasureWaitMs` or a failure,
 * and `sweepErasures` continues.
 */
export async function eraseUser(
  parts: UserErasingParts,
  user: Sender,
  { signal }: Pick<Waits, 'signal'>,
): Promise<'erased' | 'erasing'> {
  const { store, clock, log } = parts;
  const untilMs = clock.now() + userErasureWaitMs;
  const erasure = await store.erasures.startUser(user, { ttlMs: userErasureWaitMs, signal });
  try {
    return (await continueUserErasure(erasure, parts, { untilMs, signal })) ? 'erased' : 'erasing';
  } catch (error) {
    log.warn('the data of a user could not be erased and will be retried', { error });
    return 'erasing';
  }
}

/** Every step may be repeated. False: something is left. */
export async function continueUserErasure(
  erasure: UserErasure,
  parts: UserErasingParts,
  waits: Waits,
): Promise<boolean> {
  const { store, storage, memory, clock } = parts;
  const { untilMs, signal } = waits;
  // First: their turns are stopped, and write no more values.
  if (!(await eraseConversations(erasure, parts, waits))) return false;
  if (!erasure.late) {
    while (await storage.removeUser(erasure)) if (clock.now() >= untilMs) return false;
    await memory?.forget(erasure, { all: true }, { signal });
  }
  await store.erasures.settleUser(erasure, { settleMs: erasureSettleMs, signal });
  return true;
}

/** False: some are left. */
async function eraseConversations(
  erasure: UserErasure,
  parts: UserErasingParts,
  { untilMs, signal }: Waits,
): Promise<boolean> {
  const page = { limit: userConversationsPageMax, signal };
  for (;;) {
    const ids = await parts.store.erasures.conversationsOf(erasure, page);
    for (const conversation of ids) {
      if (parts.clock.now() >= untilMs) return false;
      await eraseConversation(parts, { owner: erasure, conversation }, { signal });
    }
    if (ids.length < userConversationsPageMax) return true;
  }
}
