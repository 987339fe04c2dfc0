import type { Json } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import {
  jobAttempts,
  jobAttemptsMax,
  jobErrorCharsMax,
  jobTimeoutMs,
  jobTimeoutMsMax,
} from '../../contract/limits.ts';
import type { BundleJob } from '../../contract/runtime-bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { JobDefinition } from '../../define/surfaces.ts';
import { createContext } from '../context/base-context.ts';
import { parseJobInput } from '../context/job-input.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { jsonSchemaProblems } from '../validate/json-schema-fit.ts';
import { checkIds, type Problems } from '../validate/problems.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

/** Compiles the jobs of a bundle. */
export function compileJobs(loaded: LoadedBundle, problems: Problems): readonly BundleJob[] {
  const { jobs = [] } = loaded.definition;
  checkIds(
    'job',
    jobs.map(({ id }) => id),
    problems,
  );
  return jobs.flatMap((job) => {
    if (!isDefinition('job', job)) {
      problems.add('a job was not made by defineJob');
      return [];
    }
    const unfit = job.input ? jsonSchemaProblems(job.input, `input of job “${job.id}”`) : [];
    for (const problem of unfit) problems.add(problem);
    for (const problem of problemsOf(job)) problems.add(`job “${job.id}”: ${problem}`);
    const schedule = scheduleOf(job, problems);
    const { id, on = 'one', timeoutMs = jobTimeoutMs } = job;
    const { attempts = schedule ? 1 : jobAttempts } = job;
    const run: BundleJob['run'] = (input, options) => runJob(job, { loaded, input, ...options });
    const explain = (error: unknown) => explainFailure(error, loaded);
    return [{ id, on, timeoutMs, attempts, run, explain, ...(schedule ? { schedule } : {}) }];
  });
}

function scheduleOf(
  { id, schedule, timezone }: JobDefinition,
  problems: Problems,
): Schedule | undefined {
  if (schedule === undefined) return undefined;
  const parsed = parseSchedule(schedule, timezone);
  if ('schedule' in parsed) return parsed.schedule;
  problems.add(`job “${id}”: ${parsed.because}`);
  return undefined;
}

/** Repeats the compiler's checks for authors who write JavaScript. */
function problemsOf(job: JobDefinition): readonly string[] {
  const { schedule, timezone, on, attempts = 1, timeoutMs = jobTimeoutMs, input } = job;
  const found: string[] = [];
  if (schedule === undefined && (timezone !== undefined || on !== undefined)) {
    found.push('timezone and on require a schedule');
  }
  if (on !== undefined && !['one', 'each'].includes(on)) found.push("on must be 'one' or 'each'");
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > jobAttemptsMax) {
    found.push(`attempts must be between 1 and ${jobAttemptsMax}`);
  }
  if (!(timeoutMs > 0 && timeoutMs <= jobTimeoutMsMax)) {
    found.push(`timeoutMs must be between 1 and ${jobTimeoutMsMax}`);
  }
  if (schedule !== undefined && input?.safeParse({}).success === false) {
    found.push('a scheduled run has no input: its schema must accept {}');
  }
  return found;
}

type JobRun = {
  readonly loaded: LoadedBundle;
  readonly input: Json;
  readonly signal: AbortSignal;
};

async function runJob(job: JobDefinition, { loaded, input, signal }: JobRun): Promise<void> {
  const parsed = await parseJobInput(job, input);
  signal.throwIfAborted();
  const { host, definition, revision } = loaded;
  const { tenant, project } = host;
  const ids = { tenant, project, bundle: definition.id, revision };
  const log = host.log.with({ bundle: definition.id, job: job.id });
  const returned: unknown = await job.run(parsed, createContext(loaded, { ids, signal, log }));
  if (isRefusal(returned)) throw returned;
}

/** The error message for operators: masked and cut to the stored length. */
function explainFailure(error: unknown, { mask }: LoadedBundle): string {
  const code = isRefusal(error) ? `${error.code}: ` : '';
  const said = error instanceof Error ? error.message : String(error);
  return mask.text(`${code}${said}`).slice(0, jobErrorCharsMax).toWellFormed();
}
