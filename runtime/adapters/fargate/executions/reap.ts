import { openReaper, type Reaper } from '../../../../supervisor/cell/reaper.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Entry } from '../aws/execution.ts';
import { orphanGraceMs, reapEveryMs, reapedMax } from '../settings/limits.ts';
import { livingOwners } from './owners.ts';
import { entries, type Places, remove } from './registry.ts';

type Options = { readonly nowMs: number; readonly signal: AbortSignal };

/**
 * Removes what was made for executions whose owner gives no more signs of life, and what is past its deadline, whoever
 * made it. Returns of how many executions. An error for what could not be removed comes after everything else was.
 */
export async function reap(places: Places, { nowMs, signal }: Options): Promise<number> {
  // Entries first: whoever has written one has given a sign of life before.
  const made: Entry[] = [];
  for await (const entry of entries(places.bucket, { signal })) made.push(entry);
  const living = await livingOwners(places.bucket, { nowMs, signal });
  const orphans = made.filter(
    ({ owner, deadlineMs }) => !living.has(owner) || deadlineMs + orphanGraceMs < nowMs,
  );
  const failures: unknown[] = [];
  for (let at = 0; at < orphans.length; at += reapedMax) {
    signal.throwIfAborted();
    const some = orphans.slice(at, at + reapedMax).map((entry) => remove(entry, places));
    for (const one of await Promise.allSettled(some))
      if (one.status === 'rejected') failures.push(one.reason);
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some executions were not removed');
  return orphans.length;
}

/** Reaps now and from time to time. */
export function reaperOf(places: Places, { clock, log }: { clock: Clock; log: Log }): Reaper {
  const round = ({ signal }: { signal: AbortSignal }) =>
    reap(places, { nowMs: clock.now(), signal });
  return openReaper({ everyMs: reapEveryMs, log, reap: round });
}
