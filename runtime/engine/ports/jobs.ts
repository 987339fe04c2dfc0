import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { jobQueueMax } from '../limits.ts';

export type JobName = {
  readonly tenant: string;
  readonly project: string;
  readonly bundle: string;
  readonly job: string;
};

/** One piece of work of a job: what was enqueued, or a tick of its schedule. */
export type NewErrand = {
  /** `job_…`; the same again is the same errand. */
  readonly id: string;
  readonly key?: string;
  readonly input: Json;
  readonly delayMs: number;
};

/** A job whose errands may be claimed here, and the words of its schedule, if it has one. */
export type ServedJob = JobName & { readonly scheduleText?: string };

/** Of one schedule: its words, and the first tick that is due. */
export type Tick = { readonly scheduleText: string; readonly dueMs: number };

/** An errand that is ours to perform, until the lease ends. Nobody else performs one of the same job meanwhile. */
export type Claim = {
  readonly name: JobName;
  readonly fence: number;
  /** By which the store knows the errand. */
  readonly row: number;
  /** Undefined: a tick. */
  readonly errand: string | undefined;
  readonly input: Json;
  /** From 1: how often it was begun. */
  readonly attempt: number;
  /** Somebody began this attempt and went without a word: it has failed, and is to be finished and not performed. */
  readonly interrupted: boolean;
  readonly dueMs: number;
  /** What the store's clock said when it was claimed. */
  readonly nowMs: number;
};

export type Failure = {
  readonly errand: string | undefined;
  readonly attempt: number;
  /** It is not tried again. */
  readonly final: boolean;
  readonly error: string;
  readonly input: Json;
  readonly atMs: number;
};

/** `next`: when a job with a schedule ticks again. */
export type Ending = { readonly nextMs?: number } & (
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: string; readonly retryMs?: number }
);

export type JobCount = {
  readonly bundle: string;
  readonly job: string;
  /** Errands that are due or will be, ticks not among them. */
  readonly waiting: number;
  readonly done: number;
  /** Of every attempt. */
  readonly failed: number;
};

/** What jobs have to do, and who does it; one clock of its own says what is due. */
export interface JobStore {
  /** Milliseconds since the epoch. */
  now(): Promise<number>;
  /** Durable when it resolves, with the id of the errand that has this key. Refusal `too_many`. */
  enqueue(name: JobName, errand: NewErrand): Promise<string>;
  /** A job has this schedule from now on, or none. The same words again change nothing, so what was missed stays due. */
  schedule(name: JobName, tick: Tick | undefined): Promise<void>;
  /** The errand that is due longest; none of a job that somebody is running, and no tick of another schedule. */
  claim(
    jobs: readonly ServedJob[],
    options: { readonly by: string; readonly ttlMs: number },
  ): Promise<Claim | undefined>;
  /** False: it is somebody else's. */
  renew(claim: Claim, options: { readonly ttlMs: number }): Promise<boolean>;
  /** False: it is somebody else's, and nothing was written. The same again changes nothing. */
  finish(claim: Claim, ending: Ending): Promise<boolean>;
  counts(place: {
    readonly tenant: string;
    readonly project: string;
  }): Promise<readonly JobCount[]>;
  /** The newest first. */
  failures(name: JobName, options: { readonly limit: number }): Promise<readonly Failure[]>;
}

export function tooManyErrands(): Refusal {
  const most = `At most ${jobQueueMax} errands of a bundle wait at a time`;
  return new Refusal('too_many', `${most}: enqueue again later.`, { retryable: true });
}
