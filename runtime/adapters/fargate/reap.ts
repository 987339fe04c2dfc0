import { openReaper, type Reaper } from '../../../supervisor/reaper.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { listedMax, orphanGraceMs, reapEveryMs } from './limits.ts';
import { deadlineOf, emptied, type Objects } from './places.ts';
import type { Secrets } from './secrets.ts';
import { deadlineIn } from './tags.ts';
import type { Tasks } from './tasks.ts';

type Places = { readonly tasks: Tasks; readonly secrets: Secrets; readonly bucket: Objects };
type Options = { readonly nowMs: number; readonly signal: AbortSignal };

/**
 * Removes what is past its deadline: tasks first, since they still write, then secrets and folders.
 * Whoever made it is elsewhere, so nothing else tells whether it is still wanted. Returns how many things went.
 */
export async function reap(
  { tasks, secrets, bucket }: Places,
  { nowMs, signal }: Options,
): Promise<number> {
  const isLate = (deadlineMs: number | undefined) =>
    deadlineMs !== undefined && deadlineMs + orphanGraceMs < nowMs;
  const running = await tasks.describe(await tasks.list({ signal }), { signal });
  const lateTasks = running.filter(({ tags = [] }) => isLate(deadlineIn(tags)));
  for (const { taskArn = '' } of lateTasks) await tasks.stop(taskArn, 'past its deadline');
  const late = (await secrets.list({ signal })).filter(({ deadlineMs }) => isLate(deadlineMs));
  for (const { name } of late) await secrets.remove(name);
  const all = await bucket.list('executions', { max: listedMax, depth: 'folders', signal });
  const folders = all.filter((folder) => isLate(deadlineOf(folder)));
  for (const folder of folders) await emptied(folder, bucket);
  return lateTasks.length + late.length + folders.length;
}

/** Reaps now and from time to time. */
export function reaperOf(places: Places, { clock, log }: { clock: Clock; log: Log }): Reaper {
  const round = ({ signal }: { signal: AbortSignal }) =>
    reap(places, { nowMs: clock.now(), signal });
  return openReaper({ everyMs: reapEveryMs, log, reap: round });
}
