import { setTimeout } from 'node:timers/promises';
import type { TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import type { StoreUnderTest } from './kit.ts';

/** A store whose clock is its database's: the only way to move it on is to wait. */
export function realTime(store: TimelineStore & AsyncDisposable): StoreUnderTest & AsyncDisposable {
  return {
    store,
    pass: async (ms) => {
      await setTimeout(ms + 5);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
