import { isFault } from '../../base/fault.ts';
import type { Scope } from '../../base/scope.ts';
import { Cancelled, isAborted, Work } from '../../base/signal.ts';
import type { OpenSurface, ServedSurface, SurfaceUpdate } from '../../sdk/contract/surface.ts';
import type { Intake } from '../intake/intake.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { openChatsPollMs, surfaceLeaseRetryMs, surfaceRetryMs } from './limits.ts';
import { SurfaceChats } from './surface-chats.ts';
import { SurfaceIntake } from './surface-intake.ts';
import { leaseSurface } from './surface-lease.ts';

/** Serves a messenger until `scope` closes. */
export function openSurface(
  deps: GatewayDeps,
  { served, intake }: { served: ServedSurface; intake: Intake },
  scope: Scope,
): OpenSurface {
  const { surface } = served;
  const chats = scope.own(new SurfaceChats(deps, served));
  const stop = new AbortController();
  const { signal } = stop;
  const updates = new SurfaceIntake({ ...deps, served, chats, intake });
  const take = async (update: SurfaceUpdate) => {
    try {
      await updates.take(update, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isFault(error) && error.kind === 'transient') throw error;
      // It would fail again: the other updates must not wait for it.
      deps.log.error('update of a messenger failed', { surface: surface.name, error });
    }
  };
  const running = keepReceiving();
  scope.defer(async () => {
    stop.abort(new Cancelled('shutdown'));
    await running;
  });
  return { surface, signal, take };

  async function keepReceiving(): Promise<void> {
    while (!signal.aborted) {
      try {
        await using lease = await leaseSurface(deps, surface.name, signal);
        if (lease) await serve(lease.signal);
        else await deps.clock.sleep(surfaceLeaseRetryMs, { signal });
      } catch (error) {
        if (isAborted(signal)) return;
        deps.log.warn('messenger not reachable', { surface: surface.name, error });
        await deps.clock.sleep(surfaceRetryMs, { signal }).catch(() => undefined);
      }
    }
  }

  /** As the only gateway: receives updates, and shows the turns of all chats. */
  async function serve(leased: AbortSignal): Promise<void> {
    using work = new Work(leased);
    const showing = keepShowing(work.signal).finally(() => work.stop('shutdown'));
    const receiving = surface
      .receive(take, { signal: work.signal })
      .finally(() => work.stop('shutdown'));
    const ends = await Promise.allSettled([showing, receiving]);
    await chats.leave();
    const failed = ends.find((end) => end.status === 'rejected' && !isCancelled(end.reason));
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** With a webhook, other gateways take updates as well. */
  async function keepShowing(leased: AbortSignal): Promise<void> {
    chats.own();
    for (;;) {
      await chats.resume(leased);
      await deps.clock.sleep(openChatsPollMs, { signal: leased });
    }
  }
}

function isCancelled(reason: unknown): boolean {
  return reason instanceof Cancelled;
}
