import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, isFault } from '../../../base/fault.ts';
import { Work } from '../../../base/signal.ts';
import type { FromTask } from '../queue/messages.ts';
import {
  lastWordMsMax,
  launchMsMax,
  lookSeldomMs,
  lookSoonMs,
  looksFailedMax,
  stopMsMax,
} from '../settings/limits.ts';
import type { Look, Tasks } from './tasks.ts';

type Waits = { readonly signal: AbortSignal };

/** How a task stands; undefined: its service knows of none. */
export type AskTask = (signal: AbortSignal) => Promise<Look | undefined>;

/** The first letter of the task; Fault `EXEC_FAILED` when it ends before, or takes too long. */
export async function arrival(
  letters: AsyncGenerator<FromTask>,
  { look, signal }: Waits & { look: AskTask },
): Promise<void> {
  using work = new Work(signal, { deadlineMs: launchMsMax });
  try {
    const first = await Promise.race([letters.next(), ended(look, work)]);
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
async function ended(look: AskTask, { signal }: Work): Promise<never> {
  // A service that has only just taken a task may not know of it yet.
  for (let ms = lookSoonMs; ; ms = later(ms)) {
    await sleep(ms, undefined, { signal });
    const seen = await look(signal);
    if (seen?.gone) throw new Fault('EXEC_FAILED', { because: `the task ended: ${seen.because}` });
    if (seen?.over !== true) continue;
    // It may have come, and its supervisor is just saying so.
    await sleep(lastWordMsMax, undefined, { signal });
    throw new Fault('EXEC_FAILED', { because: `the executor ended: ${seen.because}` });
  }
}

/** A service that cannot be asked says nothing new of a task; asked in vain so often in a row, it has failed. */
export function patient(look: AskTask): AskTask {
  let last: Look | undefined = unseen;
  let failed = 0;
  return async (signal) => {
    try {
      last = await look(signal);
      failed = 0;
    } catch (error) {
      failed += 1;
      if (!isFault(error) || failed >= looksFailedMax) throw error;
    }
    return last;
  };
}

const unseen: Look = { over: false, code: undefined, outOfMemory: false, because: '', gone: false };

/** Stopped, and gone as far as can be waited for: what it still wrote would stay. */
export async function stopped(arn: string, tasks: Tasks): Promise<void> {
  await tasks.stop(arn, 'the execution is over');
  using work = new Work(new AbortController().signal, { deadlineMs: stopMsMax });
  const look = patient((signal) => tasks.look(arn, { signal }));
  try {
    for (let ms = lookSoonMs; ; ms = later(ms)) {
      if ((await look(work.signal))?.gone !== false) return;
      await sleep(ms, undefined, { signal: work.signal });
    }
  } catch (error) {
    if (!work.signal.aborted) throw error;
  }
}

/** Between looks at the same task: there may be many tasks, and their service counts looks. */
function later(ms: number): number {
  return Math.min(lookSeldomMs, ms * 1.5);
}
