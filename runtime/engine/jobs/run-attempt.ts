import { addAbortListener } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { isRefusal } from '../../base/refusal.ts';
import { Cancelled, untilAborted, Work } from '../../base/signal.ts';
import type { BundleJob } from '../../sdk/contract/runtime-bundle.ts';
import { HeldClaim } from '../lease/held-claim.ts';
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
  /** Monotonic time before the claim was asked for. */
  readonly sinceMs: number;
  /** The process ends. */
  readonly signal: AbortSignal;
  /** It waits no longer. */
  readonly abandoned: AbortSignal;
};

/** One attempt at an errand, and word of how it ended. Rejects only when that word could not be left. */
export async function runAttempt(parts: JobParts, options: Attempt): Promise<void> {
  const { job, claim } = options;
  const { bundle } = claim.name;
  const { errand = 'tick', attempt } = claim;
  const log = parts.log.with({ bundle, job: job.id, errand, attempt });
  await using held = holdJob(parts, options);
  const failure = claim.interrupted
    ? new Error('the process that ran it ended in the middle')
    : await runErrand(log, { ...options, signal: held.signal });
  if (held.isLost) {
    log.warn('a job was lost to another process', { error: failure });
    return;
  }
  const ending = endingOf(failure, options);
  tell(log, failure, ending);
  await finish(parts, { claim, ending, held, abandoned: options.abandoned });
}

function holdJob({ store, clock }: JobParts, { claim, ...options }: Attempt): HeldClaim {
  const { sinceMs, signal, abandoned } = options;
  const times = { ttlMs: jobLeaseTtlMs, renewMs: jobRenewMs, marginMs: jobLeaseMarginMs };
  const renew = () => store.renew(claim, { ttlMs: jobLeaseTtlMs });
  return new HeldClaim(clock, { times, sinceMs, signal, renewed: abandoned, renew });
}

/** What it threw; undefined: it is done, also where that was later than it should have been. */
async function runErrand(log: Log, { job, claim, signal }: Attempt): Promise<unknown> {
  using work = new Work(signal, { deadlineMs: job.timeoutMs });
  using watch = watchStop(log, work.signal);
  try {
    await job.run(claim.input, { signal: work.signal });
    return undefined;
  } catch (error) {
    const late = `it was not done within ${job.timeoutMs} ms`;
    return watch.isLate() ? new Error(late, { cause: error }) : (error ?? new Error('undefined'));
  }
}

/** Tells of a run that goes on although it was stopped: nothing else of its job begins before it ends. */
function watchStop(log: Log, signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  const logOutcome = () => log.error('a job does not stop, and holds up whatever waits behind it');
  const tie = addAbortListener(signal, () => {
    timer = setTimeout(logOutcome, jobStopMsMax);
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

/** Undefined: not again. An expected no would only be said again. */
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

function tell(log: Log, failure: unknown, ending: Ending): void {
  if (ending.kind === 'done') log.debug('a job is done');
  else if (ending.retryMs === undefined) log.error('a job failed', { error: failure });
  else {
    const { retryMs } = ending;
    log.warn('a job failed and is tried again', { error: failure, retryMs });
  }
}

type FinishOptions = {
  readonly claim: Claim;
  readonly ending: Ending;
  readonly held: HeldClaim;
  readonly abandoned: AbortSignal;
};

/** What is done must not be done again because the store was away for a moment. */
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
