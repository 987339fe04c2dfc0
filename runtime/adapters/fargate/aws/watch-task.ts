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

/** How a task stands; undefined: its service knows of none. */
export type DescribeTask = (signal: AbortSignal) => Promise<TaskState | undefined>;

/** The first letter of the task; Fault `EXEC_FAILED` when it ends before, or takes too long. */
export async function awaitReady(
  letters: AsyncGenerator<FromTask>,
  { describe, signal }: Waits & { describe: DescribeTask },
): Promise<void> {
  using work = new Work(signal, { deadlineMs: launchMsMax });
  try {
    const first = await Promise.race([letters.next(), rejectWhenEnded(describe, work)]);
    if (first.done !== false || first.value.type !== 'here')
      throw new Fault('EXEC_PROTOCOL', { because: 'a task that does not say that it is there' });
  } catch (error) {
    if (signal.aborted || !work.signal.aborted) throw error;
    throw new Fault('EXEC_FAILED', {
      because: `the task was not there within ${launchMsMax} ms`,
    });
  } finally {
    work.stop('shutdown');
  }
}

/** Rejects once the task has ended, or its executor has and nothing more was heard of it. */
async function rejectWhenEnded(describe: DescribeTask, { signal }: Work): Promise<never> {
  // A service that has only just taken a task may not know of it yet.
  for (let ms = pollFastMs; ; ms = nextPollMs(ms)) {
    await sleep(ms, undefined, { signal });
    const seen = await describe(signal);
    if (seen?.stopped)
      throw new Fault('EXEC_FAILED', { because: `the task ended: ${seen.because}` });
    if (seen?.executorEnded !== true) continue;
    // It may have come, and its supervisor is just saying so.
    await sleep(readyGraceMs, undefined, { signal });
    throw new Fault('EXEC_FAILED', { because: `the executor ended: ${seen.because}` });
  }
}

/** A service that cannot be asked says nothing new of a task; asked in vain so often in a row, it has failed. */
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

/** Stopped, and gone as far as can be waited for: what it still wrote would stay. */
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

/** Between looks at the same task: there may be many tasks, and their service counts looks. */
function nextPollMs(ms: number): number {
  return Math.min(pollSlowMs, ms * 1.5);
}
