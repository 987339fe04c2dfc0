import { openReaper, type Reaper } from '../../../../supervisor/cell/reaper.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Execution } from '../aws/execution.ts';
import { orphanGraceMs, reapConcurrencyMax, reapEveryMs } from '../settings/limits.ts';
import { listLiveOwners } from './owners.ts';
import { type ExecutionServices, listExecutions, removeExecution } from './registry.ts';

type Options = { readonly nowMs: number; readonly signal: AbortSignal };

/**
 * Removes the resources of executions whose owner has stopped its heartbeat, and of all executions past their deadline.
 * Returns the number of these executions. If some resources cannot be removed, it removes the rest first, then throws.
 */
export async function reap(
  services: ExecutionServices,
  { nowMs, signal }: Options,
): Promise<number> {
  // List executions first: their owners wrote a heartbeat before they registered them.
  const executions: Execution[] = [];
  for await (const execution of listExecutions(services.bucket, { signal }))
    executions.push(execution);
  const living = await listLiveOwners(services.bucket, { nowMs, signal });
  const orphans = executions.filter(
    ({ owner, deadlineMs }) => !living.has(owner) || deadlineMs + orphanGraceMs < nowMs,
  );
  const failures: unknown[] = [];
  for (let at = 0; at < orphans.length; at += reapConcurrencyMax) {
    signal.throwIfAborted();
    const some = orphans
      .slice(at, at + reapConcurrencyMax)
      .map((execution) => removeExecution(execution, services));
    for (const one of await Promise.allSettled(some))
      if (one.status === 'rejected') failures.push(one.reason);
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some executions were not removed');
  return orphans.length;
}

/** Removes orphans now and at intervals. */
export function openExecutionReaper(
  services: ExecutionServices,
  { clock, log }: { clock: Clock; log: Log },
): Reaper {
  const round = ({ signal }: { signal: AbortSignal }) =>
    reap(services, { nowMs: clock.now(), signal });
  return openReaper({ everyMs: reapEveryMs, log, reap: round });
}
