import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, isFault } from '../../../base/fault.ts';
import { Work } from '../../../base/signal.ts';
import type { FromTask } from '../queue/messages.ts';
import {
  launchMsMax,
  pollFailuresMax,
  pollFastMs,
  pollSlowMs,
  readyGraceMs,
  stopMsMax,
} from '../settings/limits.ts';
import type { TaskState, Tasks } from './tasks.ts';

type Waits = { readonly signal: AbortSignal };

/** Reads the state of a task; undefined if the service does not know it. */
export type DescribeTask = (signal: AbortSignal) => Promise<TaskState | undefined>;

/** Waits for the first message of the task. Fault `EXEC_FAILED` if the task ends first or takes too long. */
export async function awaitReady(
  messages: AsyncGenerator<FromTask>,
  { describe, signal }: Waits & { describe: DescribeTask },
): Promise<void> {
  using work = new Work(signal, { deadlineMs: launchMsMax });
  try {
    const first = await Promise.race([messages.next(), rejectWhenEnded(describe, work)]);
    if (first.done !== false || first.value.type !== 'here')
      throw new Fault('EXEC_PROTOCOL', { because: 'the first message of the task is not `here`' });
  } catch (error) {
    if (signal.aborted || !work.signal.aborted) throw error;
    throw new Fault('EXEC_FAILED', {
      because: `the task was not ready within ${launchMsMax} ms`,
    });
  } finally {
    work.stop('shutdown');
  }
}

/** Rejects when the task has ended, or when its executor has ended and the task sent no message in time. */
async function rejectWhenEnded(describe: DescribeTask, { signal }: Work): Promise<never> {
  // The service may not know a task yet that it has just accepted.
  for (let ms = pollFastMs; ; ms = nextPollMs(ms)) {
    await sleep(ms, undefined, { signal });
    const seen = await describe(signal);
    if (seen?.stopped)
      throw new Fault('EXEC_FAILED', { because: `the task ended: ${seen.because}` });
    if (seen?.executorEnded !== true) continue;
    // The supervisor may be about to report that it is ready.
    await sleep(readyGraceMs, undefined, { signal });
    throw new Fault('EXEC_FAILED', { because: `the executor ended: ${seen.because}` });
  }
}

/** Returns the last known state while the service fails; rethrows after too many failures in a row. */
export function tolerateFailures(describe: DescribeTask): DescribeTask {
  let last: TaskState | undefined = unknownState;
  let failed = 0;
  return async (signal) => {
    try {
      last = await describe(signal);
      failed = 0;
    } catch (error) {
      failed += 1;
      if (!isFault(error) || failed >= pollFailuresMax) throw error;
    }
    return last;
  };
}

const unknownState: TaskState = {
  executorEnded: false,
  code: undefined,
  outOfMemory: false,
  because: '',
  stopped: false,
};

/** Stops a task and waits, within a limit, until it has ended: what it writes after the clean-up would stay. */
export async function stopAndAwaitEnd(arn: string, tasks: Tasks): Promise<void> {
  await tasks.stop(arn, 'the execution is over');
  using work = new Work(new AbortController().signal, { deadlineMs: stopMsMax });
  const describe = tolerateFailures((signal) => tasks.describe(arn, { signal }));
  try {
    for (let ms = pollFastMs; ; ms = nextPollMs(ms)) {
      if ((await describe(work.signal))?.stopped !== false) return;
      await sleep(ms, undefined, { signal: work.signal });
    }
  } catch (error) {
    if (!work.signal.aborted) throw error;
  }
}

/** Pause before the next poll of a task: there may be many tasks, and the service limits the request rate. */
function nextPollMs(ms: number): number {
  return Math.min(pollSlowMs, ms * 1.5);
}
