import type { Log } from '../../../base/log.ts';
import { Cancelled } from '../../../base/signal.ts';
import type { Block } from '../../../timeline/block.ts';
import { observedBlocksMax } from '../../contract/limits.ts';
import type { HookRunner } from '../../contract/runtime-hooks.ts';
import { observationsOf } from './observations.ts';

/** The user of a block, and the agent of its turn. */
type Whose = { readonly user: string; readonly agent: string };
type Observers = AsyncDisposable & { observe(block: Block, whose: Whose): void };

/** Passes blocks to the observers one by one, in the background. Slow observers miss blocks; the log says how many. */
export function openObservers(hooks: HookRunner, log: Log): Observers {
  const stopped = new AbortController();
  const queue: { readonly block: Block; readonly whose: Whose }[] = [];
  let missed = 0;
  let working: Promise<void> | undefined;
  const work = async () => {
    for (let next = queue.shift(); next && !stopped.signal.aborted; next = queue.shift()) {
      await show(next.block, next.whose);
    }
    working = undefined;
  };
  const show = async (block: Block, whose: Whose) => {
    const { signal } = stopped;
    const site = { kind: 'event', ...whose, conversation: block.conversation, signal } as const;
    try {
      for (const { point, subject } of observationsOf(block)) await hooks.run(point, subject, site);
    } catch (error) {
      if (!signal.aborted) log.warn('block was not observed', { seq: block.seq, error });
    }
    if (missed === 0 || queue.length > observedBlocksMax / 2) return;
    log.warn('observers were too slow', { missed });
    missed = 0;
  };
  return {
    observe: (block, whose) => {
      if (stopped.signal.aborted) return;
      if (queue.length >= observedBlocksMax) missed += 1;
      else queue.push({ block, whose });
      // Runs outside the turn that wrote the block.
      working ??= Promise.resolve().then(work);
    },
    [Symbol.asyncDispose]: async () => {
      stopped.abort(new Cancelled('shutdown'));
      await working;
    },
  };
}
