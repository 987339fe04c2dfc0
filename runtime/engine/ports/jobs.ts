import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { jobQueueMax } from '../limits.ts';

export type JobName = {
  readonly tenant: string;
  readonly project: string;
  readonly bundle: string;
  readonly job: string;
};

/** One piece of work of a job: an enqueued input, or a tick of its schedule. */
export type NewErrand = {
  /** `job_…`; the same id is the same errand. */
  readonly id: string;
  readonly key?: string;
  readonly input: Json;
  readonly delayMs: number;
};

/** A job whose errands may be claimed here, and the text of its schedule, if it has one. */
export type ServedJob = JobName & { readonly scheduleText?: string };

/** The text of a schedule, and its first due tick. */
export type Tick = { readonly scheduleText: string; readonly dueMs: number };

/**
 * An errand that this process may run until the lease ends. No one else runs an errand of the same job at the same
 * time.
 */
export type Claim = {
  readonly name: JobName;
  readonly fence: number;
  /** The key of the errand in the store. */
  readonly row: number;
  /** Undefined: a tick. */
  readonly errand: string | undefined;
  readonly input: Json;
  /** Starts at 1. */
  readonly attempt: number;
  /** A lost process started this attempt: it has failed, and is finished instead of run. */
  readonly interrupted: boolean;
  readonly dueMs: number;
  /** The time of the store's clock at the claim. */
  readonly nowMs: number;
};

export type Failure = {
  readonly errand: string | undefined;
  readonly attempt: number;
  /** No further retry. */
  readonly final: boolean;
  readonly error: string;
  readonly input: Json;
  readonly atMs: number;
};

/** `nextMs`: the next tick of a job with a schedule. */
export type Ending = { readonly nextMs?: number } & (
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: string; readonly retryMs?: number }
);

export type JobCount = {
  readonly bundle: string;
  readonly job: string;
  /** Errands that are due or delayed, without ticks. */
  readonly waiting: number;
  readonly done: number;
  /** Counts every attempt. */
  readonly failed: number;
};

/** Errands, schedules and claims of jobs. The store's own clock decides what is due. */
export interface JobStore {
  /** Milliseconds since the epoch. */
  now(): Promise<number>;
  /** Durable when it resolves; returns the id of the errand that has this key. Refusal `too_many`. */
  enqueue(name: JobName, errand: NewErrand): Promise<string>;
  /** Sets or removes the schedule of a job. The same text again changes nothing, so missed ticks stay due. */
  schedule(name: JobName, tick: Tick | undefined): Promise<void>;
  /** The errand that has been due the longest; none of a job that is running, and no tick of another schedule. */
  claim(
    jobs: readonly ServedJob[],
    options: { readonly by: string; readonly ttlMs: number },
  ): Promise<Claim | undefined>;
  /** False: another process has it. */
  renew(claim: Claim, options: { readonly ttlMs: number }): Promise<boolean>;
  /** False: another process has it, and nothing was written. A repetition changes nothing. */
  finish(claim: Claim, ending: Ending): Promise<boolean>;
  counts(place: {
    readonly tenant: string;
    readonly project: string;
  }): Promise<readonly JobCount[]>;
  /** Newest first. */
  failures(name: JobName, options: { readonly limit: number }): Promise<readonly Failure[]>;
}

export function tooManyErrands(): Refusal {
  const most = `A bundle may have at most ${jobQueueMax} waiting errands`;
  return new Refusal('too_many', `${most}. Enqueue again later.`, { retryable: true });
}
