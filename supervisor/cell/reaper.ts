import type { Log } from '../../runtime/base/log.ts';
import { Work } from '../../runtime/base/signal.ts';

type ReaperOptions = {
  readonly everyMs: number;
  readonly log: Log;
  /** Removes orphaned resources and returns their number. */
  reap(waits: { signal: AbortSignal }): Promise<number>;
};

export type Reaper = AsyncDisposable & {
  /** Settles when the first round has ended. */
  readonly first: Promise<void>;
};

/** Reaps now and periodically. A failed round is logged and the next one tries again. Closing waits for the current round. */
export function openReaper({ everyMs, log, reap }: ReaperOptions): Reaper {
  const work = new Work(new AbortController().signal);
  const { signal } = work;
  const round = async () => {
    try {
      const count = await reap({ signal });
      if (count > 0) log.info('orphans removed', { count });
    } catch (error) {
      if (!signal.aborted) log.warn('orphans not removed', { error });
    }
  };
  const first = round();
  let rounds = first;
  const timer = setInterval(() => {
    rounds = rounds.then(round);
  }, everyMs).unref();
  return {
    first,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      work.stop('shutdown');
      await rounds;
      work[Symbol.dispose]();
    },
  };
}
