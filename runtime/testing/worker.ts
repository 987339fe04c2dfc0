import { Fault } from '../base/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { Worker } from '../engine/worker.ts';
import type { TimelineStore } from '../timeline/store.ts';

/** A worker that can end as a process does that is told to stop, or as one that is killed. */
export function startWorker(engine: Omit<Engine, 'worker'>) {
  const { store, sever } = severable(engine.store);
  const stopped = new AbortController();
  const named = { ...engine, store, worker: engine.ids.next('worker') };
  const worker = new Worker(named, { signal: stopped.signal });
  const stop = async () => {
    stopped.abort();
    await worker[Symbol.asyncDispose]();
  };
  const kill = async () => {
    sever();
    await stop();
  };
  return { stop, kill };
}

/** A store that its holder can be cut off from: whatever it still tries to write or release fails. */
function severable(store: TimelineStore): { store: TimelineStore; sever(): void } {
  let severed = false;
  const guarded = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]): unknown =>
        severed
          ? Promise.reject(new Fault('STORE_UNAVAILABLE', { because: 'the test cut it off' }))
          : Reflect.apply(member, target, given);
    },
  });
  const sever = () => {
    severed = true;
  };
  return { store: guarded, sever };
}
