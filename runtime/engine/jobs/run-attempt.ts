import { addAbortListener } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { isRefusal } from '../../base/refusal.ts';
import { Cancelled, untilAborted, Work } from '../../base/signal.ts';
import type { BundleJob } from '../../sdk/contract/runtime-bundle.ts';
import { ClaimKeeper } from '../lease/claim-keeper.ts';
import {
  jobLeaseMarginMs,
  jobLeaseTtlMs,
  jobRenewMs,
  jobRetryMs,
  jobRetryMsMax,
  jobStopMsMax,
} from '../limits.ts';
import type { Claim, Ending, JobStore } from '../ports/jobs.ts';

export type JobParts = { readonly store: JobStore; readonly clock: Clock; readonly log: Log };

export type Attempt = {
  readonly job: BundleJob;
  readonly claim: Claim;
  /** Monotonic time before the claim was requested. */
  readonly sinceMs: number;
  /** Aborts when the process shuts down. */
  readonly signal: AbortSignal;
  /** Aborts when the process no longer waits for the attempt. */
  readonly abandoned: AbortSignal;
};

/** Runs one attempt at an errand and stores the outcome. Rejects only if the outcome cannot be stored. */
export async function runAttempt(parts: JobParts, options: Attempt): Promise<void> {
  const { job, claim } = options;
  const { bundle } = claim.name;
  const { errand = 'tick', attempt } = claim;
  const log = parts.log.with({ bundle, job: job.id, errand, attempt });
  await using held = holdJob(parts, options);
  const failure = claim.interrupted
    ? new Error('the process that ran it ended before it finished')
    : await runErrand(log, { ...options, signal: held.signal });
  if (held.isLost) {
    log.warn('a job was lost to another process', { error: failure });
    return;
  }
  const ending = endingOf(failure, options);
  logOutcome(log, failure, ending);
  await finish(parts, { claim, ending, held, abandoned: options.abandoned });
}

function holdJob({ store, clock }: JobParts, { claim, ...options }: Attempt): ClaimKeeper {
  const { sinceMs, signal, abandoned } = options;
  const times = { ttlMs: jobLeaseTtlMs, renewMs: jobRenewMs, marginMs: jobLeaseMarginMs };
  const renew = () => store.renew(claim, { ttlMs: jobLeaseTtlMs });
  return new ClaimKeeper(clock, { times, sinceMs, signal, renewed: abandoned, renew });
}

/** Returns what the errand threw. Undefined: it succeeded, possibly after its deadline. */
async function runErrand(log: Log, { job, claim, signal }: Attempt): Promise<unknown> {
  using work = new Work(signal, { deadlineMs: job.timeoutMs });
  using watch = watchStop(log, work.signal);
  try {
    await job.run(claim.input, { signal: work.signal });
    return undefined;
  } catch (error) {
    const late = `it did not finish within ${job.timeoutMs} ms`;
    return watch.isLate() ? new Error(late, { cause: error }) : (error ?? new Error('undefined'));
  }
}

/** Logs a run that goes on after it was stopped: no other run of its job starts before it ends. */
function watchStop(log: Log, signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  const logStuck = () => log.error('a job did not stop in time and blocks its later runs');
  const tie = addAbortListener(signal, () => {
    timer = setTimeout(logStuck, jobStopMsMax);
  });
  return {
    isLate: () => signal.reason instanceof Cancelled && signal.reason.why === 'deadline',
    [Symbol.dispose]: () => {
      tie[Symbol.dispose]();
      clearTimeout(timer);
    },
  };
}

function endingOf(failure: unknown, { job, claim, signal }: Attempt): Ending {
  const next = job.schedule ? { nextMs: job.schedule.next(claim.nowMs) } : {};
  if (failure === undefined) return { kind: 'done', ...next };
  const retryMs = retryOf(failure, { job, claim, isStopping: signal.aborted });
  const retry = retryMs === undefined ? {} : { retryMs };
  return { kind: 'failed', error: job.explain(failure), ...next, ...retry };
}

/** Undefined: no retry. An expected refusal would only be repeated. */
function retryOf(
  failure: unknown,
  { job, claim, isStopping }: Pick<Attempt, 'job' | 'claim'> & { isStopping: boolean },
): number | undefined {
  if (claim.attempt >= job.attempts) return undefined;
  if (isStopping) return 0;
  const waitMs = Math.min(jobRetryMsMax, jobRetryMs * 2 ** (claim.attempt - 1));
  if (!isRefusal(failure)) return waitMs;
  return failure.retryable ? Math.max(waitMs, failure.retryAfterMs ?? 0) : undefined;
}

function logOutcome(log: Log, failure: unknown, ending: Ending): void {
  if (ending.kind === 'done') log.debug('a job is done');
  else if (ending.retryMs === undefined) log.error('a job failed', { error: failure });
  else {
    const { retryMs } = ending;
    log.warn('a job failed and will be retried', { error: failure, retryMs });
  }
}

type FinishOptions = {
  readonly claim: Claim;
  readonly ending: Ending;
  readonly held: ClaimKeeper;
  readonly abandoned: AbortSignal;
};

/** A finished errand must not run again because the store was unavailable for a moment. */
async function finish(
  { store, clock, log }: JobParts,
  { claim, ending, held, abandoned }: FinishOptions,
): Promise<void> {
  for (;;) {
    try {
      const isOurs = await untilAborted(store.finish(claim, ending), held.lost);
      if (!isOurs) log.warn('a job was lost to another process', { job: claim.name.job });
      return;
    } catch (error) {
      if (!isFault(error) || error.kind !== 'transient' || held.isLost) throw error;
      await clock.sleep(jobRetryMs, { signal: abandoned });
    }
  }
}
