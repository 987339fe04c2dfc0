import { z } from 'zod';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';

/** What a job has done, and how its last failed attempt ended. */
export const JobReport = z.strictObject({
  bundle: z.string(),
  job: z.string(),
  waiting: z.number(),
  done: z.number(),
  failed: z.number(),
  last: z.strictObject({ error: z.string(), atMs: z.number() }).exactOptional(),
});
export type JobReport = z.output<typeof JobReport>;

export async function reportJobs(
  jobs: Pick<JobStore, 'counts' | 'failures'>,
  { tenant, project }: ProjectScope,
): Promise<readonly JobReport[]> {
  const counted = await jobs.counts({ tenant, project });
  return await Promise.all(
    counted.map(async ({ bundle, job, waiting, done, failed }) => {
      const report = { bundle, job, waiting, done, failed };
      if (failed === 0) return report;
      const name = { tenant, project, bundle, job };
      const [last] = await jobs.failures(name, { limit: 1 });
      return last ? { ...report, last: { error: last.error, atMs: last.atMs } } : report;
    }),
  );
}
