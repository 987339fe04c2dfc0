import { Worker } from 'node:worker_threads';
import { Semaphore } from '../../base/semaphore.ts';
import { Work } from '../../base/signal.ts';
import type { CheckJob, CheckResult } from './checks.ts';
import { inspectionHeapMb, inspectionMsMax, inspectorThreadsMax } from './limits.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const program = new URL(`./thread.${extension}`, import.meta.url);

type Limits = { readonly deadlineMs?: number; readonly heapMb?: number };

/**
 * Threads that check files, started on demand. If a file takes too long or too much memory, its thread is terminated
 * and the file is refused; the next file gets another thread. An idle thread does not keep the process alive.
 */
export class CheckThreads implements AsyncDisposable {
  readonly #few = new Semaphore(inspectorThreadsMax);
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #deadlineMs: number;
  readonly #heapMb: number;

  constructor({ deadlineMs = inspectionMsMax, heapMb = inspectionHeapMb }: Limits = {}) {
    this.#deadlineMs = deadlineMs;
    this.#heapMb = heapMb;
  }

  /** Rejects only with the reason of the signal. */
  async check(job: CheckJob, { signal }: { signal: AbortSignal }): Promise<CheckResult> {
    return await this.#few.run(async () => {
      signal.throwIfAborted();
      const thread = this.#idle.pop() ?? this.#start();
      using work = new Work(signal, { deadlineMs: this.#deadlineMs });
      const result = await answerOf(thread, job, work.signal);
      if (result) this.#idle.push(thread);
      else await this.#end(thread);
      signal.throwIfAborted();
      return result ?? tooComplex(this.#deadlineMs);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#idle.length = 0;
    await Promise.all([...this.#all].map((thread) => this.#end(thread)));
  }

  #start(): Worker {
    const thread = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
      // Discard the output of its libraries.
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    thread.unref();
    // A thread that ends while idle is not used again.
    thread.on('error', () => this.#forget(thread));
    thread.on('exit', () => this.#forget(thread));
    this.#all.add(thread);
    return thread;
  }

  #forget(thread: Worker): void {
    this.#all.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  async #end(thread: Worker): Promise<void> {
    this.#forget(thread);
    await thread.terminate();
  }
}

/** Undefined: it was stopped, or the file crashed the thread. */
function answerOf(
  thread: Worker,
  job: CheckJob,
  signal: AbortSignal,
): Promise<CheckResult | undefined> {
  return new Promise((resolve) => {
    const settle = (result: CheckResult | undefined): void => {
      thread.unref();
      thread.off('message', settle);
      thread.off('exit', gone);
      signal.removeEventListener('abort', gone);
      resolve(result);
    };
    const gone = () => settle(undefined);
    thread.ref();
    thread.once('message', settle);
    thread.once('exit', gone);
    signal.addEventListener('abort', gone, { once: true });
    thread.postMessage(job);
  });
}

function tooComplex(deadlineMs: number): CheckResult {
  const message = `cannot be checked within ${deadlineMs / 1000} seconds and the memory limit; send a simpler file`;
  return { flaw: { reason: 'too_complex', message } };
}
