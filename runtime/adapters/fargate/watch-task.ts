import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { Work } from '../../base/signal.ts';
import type { FromTask } from './letters.ts';
import { launchMsMax, lookSeldomMs, lookSoonMs, stopMsMax } from './limits.ts';
import type { Look, Tasks } from './tasks.ts';

type Waits = { readonly signal: AbortSignal };

/** The first letter of the task; Fault `EXEC_FAILED` when it ends before, or takes too long. */
export async function arrival(
  letters: AsyncGenerator<FromTask>,
  { look, signal }: Waits & { look: (signal: AbortSignal) => Promise<Look | undefined> },
): Promise<void> {
  using work = new Work(signal, { deadlineMs: launchMsMax });
  const watch = async (): Promise<never> => {
    // A service that has only just taken a task may not know of it yet.
    for (let ms = lookSoonMs; ; ms = later(ms)) {
      await sleep(ms, undefined, { signal: work.signal });
      const seen = await look(work.signal);
      if (seen?.gone)
        throw new Fault('EXEC_FAILED', { because: `the task ended: ${seen.because}` });
    }
  };
  try {
    const first = await Promise.race([letters.next(), watch()]);
    if (first.done !== false || first.value.type !== 'here')
      throw new Fault('EXEC_PROTOCOL', { because: 'a task that does not say that it is there' });
  } finally {
    work.stop('shutdown');
  }
}

/** Stopped, and gone as far as can be waited for: what it still wrote would stay. */
export async function stopped(arn: string, tasks: Tasks): Promise<void> {
  await tasks.stop(arn, 'the execution is over');
  using work = new Work(new AbortController().signal, { deadlineMs: stopMsMax });
  try {
    for (let ms = lookSoonMs; ; ms = later(ms)) {
      if ((await tasks.look(arn, { signal: work.signal }))?.gone !== false) return;
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
