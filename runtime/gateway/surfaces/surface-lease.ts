import { LeaseKeeper } from '../../engine/lease/lease-keeper.ts';
import { leaseTtlMs } from '../../engine/limits.ts';
import { emptyConversation } from '../intake/empty-conversation.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { surfaceReleaseMs } from './limits.ts';

type Deps = Pick<GatewayDeps, 'store' | 'clock' | 'ids' | 'scope'>;

/**
 * The right to receive the updates of a messenger and to write to its chats: of all gateways, one has it. It is the lease of a
 * conversation without turns. Undefined: another gateway has it.
 */
export async function leaseSurface(
  { store, clock, ids, scope }: Deps,
  surface: string,
  signal: AbortSignal,
): Promise<SurfaceLease | undefined> {
  const sender = { ...scope, user: `surface:${surface}` };
  const name = `surface-${surface}`;
  const known = await store.find(sender, name, { signal });
  if (!known) await store.accept(emptyConversation(sender, name, ids), { signal });
  const row = known ?? (await store.find(sender, name, { signal }));
  if (!row) return undefined;
  const since = clock.monotonic();
  const options = { worker: ids.next('worker'), ttlMs: leaseTtlMs, signal };
  const lease = await store.acquire(row.key, options);
  if (!lease) return undefined;
  const keeper = new LeaseKeeper({ store, clock }, { lease, since, signal });
  return {
    signal: keeper.signal,
    async [Symbol.asyncDispose]() {
      const isLost = keeper.signal.aborted && !signal.aborted;
      await keeper[Symbol.asyncDispose]();
      if (isLost) return;
      const { fence } = lease;
      // Another gateway need not wait for the end of the lease.
      const late = AbortSignal.timeout(surfaceReleaseMs);
      await store.release(row.key, { fence, signal: late }).catch(() => undefined);
    },
  };
}

export type SurfaceLease = AsyncDisposable & {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
};
