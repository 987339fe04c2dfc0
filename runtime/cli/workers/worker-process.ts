import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Cancelled, isAborted } from '../../base/signal.ts';
import { workerRestartMs, workerRestartMsMax, workerSteadyMs } from './limits.ts';
import type { ProcessEnd, WorkerChild, WorkerFacts } from './worker-child.ts';

export type WorkerParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly spawn: () => WorkerChild;
};

/**
 * One worker in a process of its own. If the process ends, it is started again, with an increasing delay; meanwhile other
 * workers take over its turns, or the next process does.
 */
export class WorkerProcess implements AsyncDisposable {
  readonly #parts: WorkerParts;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #child: WorkerChild | undefined;
  #isReady = false;
  #restarts = 0;
  #readyWith: (facts: WorkerFacts) => void = () => undefined;
  #failed: (fault: Fault) => void = () => undefined;
  /** Resolves when the first process is ready. Fault `WORKER_FAILED` if it ends before. */
  readonly ready: Promise<WorkerFacts>;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.ready = new Promise((resolve, reject) => {
      this.#readyWith = resolve;
      this.#failed = reject;
    });
    // It may fail before the server awaits it.
    this.ready.catch(() => undefined);
    this.#running = this.#run();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get restarts(): number {
    return this.#restarts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Cancelled('shutdown'));
    this.#child?.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#closing;
    let [hasBeenReady, failures] = [false, 0];
    while (!isAborted(signal)) {
      const startedMs = clock.monotonic();
      const { end, wasReady } = await this.#once();
      if (isAborted(signal)) {
        if (end.signal === 'SIGKILL') log.warn('a worker process did not end in time: killed');
        return;
      }
      hasBeenReady ||= wasReady;
      if (!hasBeenReady) {
        this.#failed(new Fault('WORKER_FAILED', { because: textOf(end) }));
        return;
      }
      failures = clock.monotonic() - startedMs < workerSteadyMs ? failures + 1 : 1;
      const delayMs = Math.min(workerRestartMs * 2 ** (failures - 1), workerRestartMsMax);
      log.warn('a worker process ended and will be started again', { ...end, delayMs });
      await clock.sleep(delayMs, { signal }).catch(() => undefined);
      this.#restarts += 1;
    }
  }

  async #once(): Promise<{ end: ProcessEnd; wasReady: boolean }> {
    const child = this.#parts.spawn();
    this.#child = child;
    const facts = await child.ready;
    if (facts) {
      this.#isReady = true;
      this.#readyWith(facts);
      this.#parts.log.info('worker process ready', { pid: child.pid });
    }
    const end = await child.ended;
    this.#isReady = false;
    this.#child = undefined;
    return { end, wasReady: facts !== undefined };
  }
}

function textOf({ code, signal }: ProcessEnd): string {
  return `it ended with ${signal ?? code ?? 'no code'} before it was ready; see its output`;
}
