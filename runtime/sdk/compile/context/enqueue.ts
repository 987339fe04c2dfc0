import type { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { jobDelayMsMax, jobInputBytesMax, jobKeyCharsMax } from '../../contract/limits.ts';
import type { Ids } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Job } from '../../define/keys.ts';
import type { JobDefinition } from '../../define/surfaces.ts';
import type { JobRequest, LoadedBundle } from '../host/bundle-host.ts';
import { toJson } from '../validate/zod-schema.ts';
import { parseJobInput } from './job-input.ts';

type RequestOptions = { readonly ids: Ids; readonly signal: AbortSignal };
type EnqueueOptions = { readonly key?: string; readonly delayMs?: number };

/** `ctx.jobs.enqueue`. Faults `NOT_IN_BUNDLE`, `NOT_AVAILABLE`. */
export async function enqueueJob(
  loaded: LoadedBundle,
  asked: RequestOptions & {
    readonly job: Job<z.ZodObject>;
    readonly input: unknown;
    readonly wish: EnqueueOptions;
  },
): Promise<{ readonly job: string }> {
  const { job, input, wish, ...options } = asked;
  if (!isDefinition('job', job) || !loaded.definition.jobs?.includes(job)) {
    throw new Fault('NOT_IN_BUNDLE', { because: `job ${job.id}` });
  }
  const { key, delayMs = 0 } = wish;
  const request = { job: job.id, input: toJson(input), delayMs };
  return enqueueByName(loaded, key === undefined ? request : { ...request, key }, options);
}

/** Enqueues a job by its id. Refuses requests that the job does not accept. */
export async function enqueueByName(
  { definition, host }: LoadedBundle,
  request: JobRequest,
  options: RequestOptions,
): Promise<{ readonly job: string }> {
  const job = definition.jobs?.find(({ id }) => id === request.job);
  if (!isDefinition('job', job))
    throw new Fault('NOT_IN_BUNDLE', { because: `job ${request.job}` });
  if (!host.jobs) throw new Fault('NOT_AVAILABLE', { because: 'ctx.jobs' });
  await checkRequest(job, request);
  return host.jobs.enqueue(request, options);
}

async function checkRequest(
  job: JobDefinition,
  { input, key, delayMs }: JobRequest & { readonly input: Json },
): Promise<void> {
  if (job.schedule !== undefined) {
    const why = 'it runs on a schedule; only a job without a schedule is a queue';
    throw new Refusal('not_a_queue', `“${job.id}” cannot be enqueued: ${why}.`);
  }
  if (key !== undefined) checkKey(key);
  if (!(delayMs >= 0 && delayMs <= jobDelayMsMax)) {
    throw new Refusal('invalid_delay', `delayMs must be between 0 and ${jobDelayMsMax}.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > jobInputBytesMax) {
    const most = `the limit is ${jobInputBytesMax} bytes of JSON; store larger data elsewhere`;
    throw new Refusal('too_large', `The input of “${job.id}” has ${bytes} bytes; ${most}.`);
  }
  await parseJobInput(job, input);
}

function checkKey(key: string): void {
  const isText = key.isWellFormed() && !key.includes('\0');
  if (isText && key !== '' && key.length <= jobKeyCharsMax) return;
  const most = `A key must have 1 to ${jobKeyCharsMax} characters`;
  throw new Refusal('invalid_key', `${most}, without NUL and unpaired surrogates.`);
}
