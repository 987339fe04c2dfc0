import type { Log } from '../../base/log.ts';
import type { EraseResult } from '../../timeline/ports/erasures.ts';
import type { Sender, TimelineStore } from '../../timeline/ports/store.ts';
import type { LongTermMemory } from '../../tools/ports/long-term-memory.ts';
import type { Bus } from '../ports/bus.ts';

export type ErasingParts = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  /** Absent: there are no facts to forget. */
  readonly memory?: LongTermMemory | undefined;
  readonly log: Log;
};

/**
 * Erases a conversation: readers cannot reach it once this resolves, its subscribers are notified, the lists of its owner
 * change, and its facts are forgotten. `sweepErasures` removes its data soon after.
 */
export async function eraseConversation(
  { store, bus, memory, log }: ErasingParts,
  { owner, conversation }: { readonly owner: Sender; readonly conversation: string },
  { signal }: { readonly signal: AbortSignal },
): Promise<EraseResult> {
  const erased = await store.erase(owner, conversation, { signal });
  if (erased.status === 'gone') return erased;
  bus.publish(erased.key, [{ kind: 'erased' }]);
  bus.touch(owner);
  // The sweep forgets them as well, in case this fails.
  await memory
    ?.forget(owner, { conversation }, { signal })
    .catch((error: unknown) => log.warn('facts could not be forgotten yet', { error }));
  return erased;
}
