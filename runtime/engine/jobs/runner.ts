import { setMaxListeners } from 'node:events';
import { isAborted, untilAborted, Work } from '../../base/signal.ts';
import type { BundleJob } from '../../sdk/contract/runtime-bundle.ts';
import { jobLeaseTtlMs, jobPollMs, jobStopMsMax, jobsPerWorkerMax } from '../limits.ts';
import type { JobName, ServedJob } from '../ports/jobs.ts';
import { type JobParts, runAttempt } from './run-attempt.ts';

/** A job of a bundle, and the name that the store knows it by. */
export type ServedBundleJob = { readonly name: JobName; readonly job: BundleJob };

type RunningAttempt = { readonly served: ServedBundleJob; readonly ending: Promise<void> };

/**
 * Runs what is due of these jobs until it is closed: ticks of schedules and enqueued errands. Any number of runners
 * share a store, and no two of them run errands of one job at the same time.
 */
export class JobRunner implements AsyncDisposable {
  readonly #parts: JobParts & { readonly by: string };
  readonly #served: readonly ServedBundleJob[];
  readonly #work: Work;
  readonly #abandoned = new AbortController();
  readonly #running = new Set<RunningAttempt>();
  readonly #looping: Promise<void>;
  #pausing: Work | undefined;
  #isWoken = false;

  constructor(
    parts: JobParts & { readonly by: string },
    served: readonly ServedBundleJob[],
    { signal }: { signal: AbortSignal },
  ) {
    this.#parts = parts;
    this.#served = served;
    this.#work = new Work(signal);
    setMaxListeners(2 * jobsPerWorkerMax, this.#work.signal, this.#abandoned.signal);
    this.#looping = this.#loop();
  }

  /** Number of running attempts. */
  get busy(): number {
    return this.#running.size;
  }

  /** Call this when something may be due. */
  wake(): void {
    this.#isWoken = true;
    this.#pausing?.stop('shutdown');
  }

  /**
   * Stops all runs and waits for them for a limited time. Another process takes over those that go on once their
   * lease ends.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#work.stop('shutdown');
    await this.#looping;
    using grace = new Work(this.#abandoned.signal, { deadlineMs: jobStopMsMax });
    try {
      await untilAborted(this.#allEnded(), grace.signal);
    } catch (error) {
      if (!isAborted(grace.signal)) throw error;
      this.#parts.log.warn('jobs did not stop in time and are abandoned', { jobs: this.busy });
    }
    this.#abandoned.abort();
    this.#work[Symbol.dispose]();
  }

  async #loop(): Promise<void> {
    const { log } = this.#parts;
    const { signal } = this.#work;
    let isKnown = false;
    let failures = 0;
    while (!isAborted(signal)) {
      try {
        if (!isKnown) await this.#storeSchedules();
        isKnown = true;
        await this.#fill();
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn('due jobs could not be read', { error });
        failures += 1;
      }
      await this.#pause();
    }
  }

  async #storeSchedules(): Promise<void> {
    const { store } = this.#parts;
    const nowMs = await store.now();
    for (const { name, job } of this.#served) {
      const { schedule } = job;
      const tick = schedule && { scheduleText: schedule.key, dueMs: schedule.next(nowMs) };
      await store.schedule(name, tick);
    }
  }

  /** Starts everything that is due, as capacity allows. */
  async #fill(): Promise<void> {
    const { store, clock, by } = this.#parts;
    while (this.#running.size < jobsPerWorkerMax && !isAborted(this.#work.signal)) {
      const idle = this.#served.filter((served) => !this.#isRunning(served));
      if (idle.length === 0) return;
      const sinceMs = clock.monotonic();
      const claim = await store.claim(idle.map(toServedJob), { by, ttlMs: jobLeaseTtlMs });
      if (!claim) return;
      const served = idle.find(({ name }) => isSame(name, claim.name));
      if (!served) return;
      const { signal } = this.#work;
      const attempt = {
        job: served.job,
        claim,
        sinceMs,
        signal,
        abandoned: this.#abandoned.signal,
      };
      const running: RunningAttempt = { served, ending: this.#perform(attempt) };
      this.#running.add(running);
      void running.ending.then(() => {
        this.#running.delete(running);
        this.wake();
      });
    }
  }

  /** Never rejects: a failing errand is logged and must not stop the others. */
  async #perform(attempt: Parameters<typeof runAttempt>[1]): Promise<void> {
    try {
      await runAttempt(this.#parts, attempt);
    } catch (error) {
      if (this.#abandoned.signal.aborted) return;
      this.#parts.log.error('the outcome of a job could not be stored', {
        job: attempt.job.id,
        error,
      });
    }
  }

  #isRunning({ name }: ServedBundleJob): boolean {
    return [...this.#running].some(({ served }) => isSame(served.name, name));
  }

  async #pause(): Promise<void> {
    if (this.#isWoken) {
      this.#isWoken = false;
      return;
    }
    using pausing = new Work(this.#work.signal);
    this.#pausing = pausing;
    try {
      await this.#parts.clock.sleep(jobPollMs, { signal: pausing.signal });
    } catch (error) {
      if (!isAborted(pausing.signal)) throw error;
    } finally {
      this.#pausing = undefined;
      this.#isWoken = false;
    }
  }

  async #allEnded(): Promise<void> {
    await Promise.all([...this.#running].map(({ ending }) => ending));
  }
}

function toServedJob({ name, job }: ServedBundleJob): ServedJob {
  return job.schedule ? { ...name, scheduleText: job.schedule.key } : name;
}

function isSame(one: JobName, other: JobName): boolean {
  return one.bundle === other.bundle && one.job === other.job;
}
