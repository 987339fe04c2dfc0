import { Fault } from '../base/fault.ts';
import type { Engine } from '../engine/ports/engine.ts';
import { Worker } from '../engine/worker/worker.ts';
import { severable } from './severable.ts';

/** A worker that can be stopped gracefully or killed, like a process. */
export function startWorker(engine: Omit<Engine, 'worker'>) {
  const cutOff = () => new Fault('STORE_UNAVAILABLE', { because: 'the test cut it off' });
  const { guarded: store, sever } = severable(engine.store, cutOff);
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
