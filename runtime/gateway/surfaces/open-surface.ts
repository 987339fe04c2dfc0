import { isFault } from '../../base/fault.ts';
import type { Scope } from '../../base/scope.ts';
import { Cancelled, isAborted } from '../../base/signal.ts';
import type { OpenSurface, ServedSurface, SurfaceUpdate } from '../../sdk/contract/surface.ts';
import type { Intake } from '../intake/intake.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { surfaceRetryMs } from './limits.ts';
import { SurfaceChats } from './surface-chats.ts';
import { SurfaceIntake } from './surface-intake.ts';

/** Serves a messenger until `scope` closes. */
export function openSurface(
  deps: GatewayDeps,
  { served, intake }: { served: ServedSurface; intake: Intake },
  scope: Scope,
): OpenSurface {
  const { surface } = served;
  const chats = scope.own(new SurfaceChats(deps, surface));
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
        await chats.resume(signal);
        await surface.receive(take, { signal });
      } catch (error) {
        if (isAborted(signal)) return;
        deps.log.warn('messenger not reachable', { surface: surface.name, error });
        await deps.clock.sleep(surfaceRetryMs, { signal }).catch(() => undefined);
      }
    }
  }
}
