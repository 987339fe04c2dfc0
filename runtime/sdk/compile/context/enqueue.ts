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
  const { job, input, wish, ...asking } = asked;
  if (!isDefinition('job', job) || !loaded.definition.jobs?.includes(job)) {
    throw new Fault('NOT_IN_BUNDLE', { because: `job ${job.id}` });
  }
  const { key, delayMs = 0 } = wish;
  const errand = { job: job.id, input: toJson(input), delayMs };
  return enqueueByName(loaded, key === undefined ? errand : { ...errand, key }, asking);
}

/** The same for whoever knows a job by its name. Refusals for what is none of its errands. */
export async function enqueueByName(
  { definition, host }: LoadedBundle,
  errand: JobRequest,
  asking: RequestOptions,
): Promise<{ readonly job: string }> {
  const job = definition.jobs?.find(({ id }) => id === errand.job);
  if (!isDefinition('job', job)) throw new Fault('NOT_IN_BUNDLE', { because: `job ${errand.job}` });
  if (!host.jobs) throw new Fault('NOT_AVAILABLE', { because: 'ctx.jobs' });
  await checkRequest(job, errand);
  return host.jobs.enqueue(errand, asking);
}

async function checkRequest(
  job: JobDefinition,
  { input, key, delayMs }: JobRequest & { readonly input: Json },
): Promise<void> {
  if (job.schedule !== undefined) {
    const why = 'it runs by its schedule; only a job without one is a queue';
    throw new Refusal('not_a_queue', `“${job.id}” takes no input: ${why}.`);
  }
  if (key !== undefined) checkKey(key);
  if (!(delayMs >= 0 && delayMs <= jobDelayMsMax)) {
    throw new Refusal('invalid_delay', `delayMs is 0 to ${jobDelayMsMax}.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > jobInputBytesMax) {
    const most = `at most ${jobInputBytesMax} bytes of JSON are enqueued; keep the rest elsewhere`;
    throw new Refusal('too_large', `The input of “${job.id}” has ${bytes}: ${most}.`);
  }
  await parseJobInput(job, input);
}

function checkKey(key: string): void {
  const isText = key.isWellFormed() && !key.includes('\0');
  if (isText && key !== '' && key.length <= jobKeyCharsMax) return;
  const most = `A key has 1 to ${jobKeyCharsMax} characters`;
  throw new Refusal('invalid_key', `${most}, neither NUL nor half of a pair among them.`);
}
