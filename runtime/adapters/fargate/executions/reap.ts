import { openReaper, type Reaper } from '../../../../supervisor/cell/reaper.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Execution } from '../aws/execution.ts';
import { orphanGraceMs, reapConcurrencyMax, reapEveryMs } from '../settings/limits.ts';
import { listLiveOwners } from './owners.ts';
import { type ExecutionServices, listExecutions, removeExecution } from './registry.ts';

type Options = { readonly nowMs: number; readonly signal: AbortSignal };

/**
 * Removes what was made for executions whose owner gives no more signs of life, and what is past its deadline, whoever
 * made it. Returns of how many executions. An error for what could not be removed comes after everything else was.
 */
export async function reap(places: ExecutionServices, { nowMs, signal }: Options): Promise<number> {
  // Entries first: whoever has written one has given a sign of life before.
  const made: Execution[] = [];
  for await (const entry of listExecutions(places.bucket, { signal })) made.push(entry);
  const living = await listLiveOwners(places.bucket, { nowMs, signal });
  const orphans = made.filter(
    ({ owner, deadlineMs }) => !living.has(owner) || deadlineMs + orphanGraceMs < nowMs,
  );
  const failures: unknown[] = [];
  for (let at = 0; at < orphans.length; at += reapConcurrencyMax) {
    signal.throwIfAborted();
    const some = orphans
      .slice(at, at + reapConcurrencyMax)
      .map((entry) => removeExecution(entry, places));
    for (const one of await Promise.allSettled(some))
      if (one.status === 'rejected') failures.push(one.reason);
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some executions were not removed');
  return orphans.length;
}

/** Reaps now and from time to time. */
export function openExecutionReaper(
  places: ExecutionServices,
  { clock, log }: { clock: Clock; log: Log },
): Reaper {
  const round = ({ signal }: { signal: AbortSignal }) =>
    reap(places, { nowMs: clock.now(), signal });
  return openReaper({ everyMs: reapEveryMs, log, reap: round });
}
