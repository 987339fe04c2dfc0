import type { Log } from '../../../base/log.ts';
import { Cancelled } from '../../../base/signal.ts';
import type { Block } from '../../../timeline/block.ts';
import { observedBlocksMax } from '../../contract/limits.ts';
import type { HookRunner, RuntimeHooks } from '../../contract/runtime-hooks.ts';
import { toJson } from '../validate/zod-schema.ts';

type Observe = NonNullable<RuntimeHooks['observe']>;
type Observers = AsyncDisposable & { readonly observe: Observe };

/** Passes blocks to the observers one by one, in the background. Slow observers miss blocks; the log says how many. */
export function openObservers(hooks: HookRunner, log: Log): Observers {
  const stopped = new AbortController();
  const queue: { readonly block: Block; readonly user: string }[] = [];
  let missed = 0;
  let working: Promise<void> | undefined;
  const work = async () => {
    for (let next = queue.shift(); next && !stopped.signal.aborted; next = queue.shift()) {
      await show(next.block, next.user);
    }
    working = undefined;
  };
  const show = async (block: Block, user: string) => {
    const { signal } = stopped;
    const site = { kind: 'event', user, conversation: block.conversation, signal } as const;
    try {
      await hooks.run('observe.block', toJson(block), site);
    } catch (error) {
      if (!signal.aborted) log.warn('block was not observed', { seq: block.seq, error });
    }
    if (missed === 0 || queue.length > observedBlocksMax / 2) return;
    log.warn('observers were too slow', { missed });
    missed = 0;
  };
  return {
    observe: (block, { user }) => {
      if (stopped.signal.aborted) return;
      if (queue.length >= observedBlocksMax) missed += 1;
      else queue.push({ block, user });
      // Runs outside the turn that wrote the block.
      working ??= Promise.resolve().then(work);
    },
    [Symbol.asyncDispose]: async () => {
      stopped.abort(new Cancelled('shutdown'));
      await working;
    },
  };
}
