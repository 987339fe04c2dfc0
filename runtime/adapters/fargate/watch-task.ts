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
  { look, signal }: Waits & { look: (signal: AbortSignal) => Promise<Look> },
): Promise<void> {
  using work = new Work(signal, { deadlineMs: launchMsMax });
  const watch = async () => {
    for (;;) {
      const { gone, because } = await look(work.signal);
      if (gone) throw new Fault('EXEC_FAILED', { because: `the task ended: ${because}` });
      await sleep(lookSeldomMs, undefined, { signal: work.signal });
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
    while (!(await tasks.look(arn, { signal: work.signal })).gone)
      await sleep(lookSoonMs, undefined, { signal: work.signal });
  } catch (error) {
    if (!work.signal.aborted) throw error;
  }
}
