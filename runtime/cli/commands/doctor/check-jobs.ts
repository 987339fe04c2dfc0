import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../adapters/sql/database/database.ts';
import { openPglite } from '../../../adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../adapters/sql/database/postgres.ts';
import { openStoredJobs } from '../../../adapters/sql/open.ts';
import { silentLog } from '../../../base/log.ts';
import { systemBundle } from '../../../engine/background/system-jobs.ts';
import type { ProjectScope } from '../../../timeline/ports/store.ts';
import type { Config } from '../../config/config.ts';
import { nameOf, placesOf } from '../../config/projects/project-settings.ts';
import { type JobReport, reportJobs } from '../../server/job-report.ts';
import { connectRemoteStore } from '../../server/remote-store.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

const failingShownMax = 3;
const errorCharsMax = 200;

/** Shows the failures of jobs that the store keeps. A past failure does not fail the check. */
export async function checkJobs(config: Config, signal: AbortSignal): Promise<readonly Finding[]> {
  const reports: JobReport[] = [];
  const found = await runCheck('jobs', async () => {
    reports.push(...(await readReports(config, signal)).filter(isNotable));
    return toSummary(reports);
  });
  return found.ok && reports.length === 0 ? [] : [found];
}

/** The runtime's own jobs are listed only if they fail. */
function isNotable({ bundle, failed }: JobReport): boolean {
  return bundle !== systemBundle || failed > 0;
}

/** Through the server if one holds the data directory. Reads only: creates and migrates no database. */
async function readReports(config: Config, signal: AbortSignal): Promise<readonly JobReport[]> {
  const { dataDir, databaseUrl } = config;
  const places = placesOf(config);
  const dir = join(dataDir, 'timeline');
  if (databaseUrl === undefined) {
    if (!existsSync(dir)) return [];
    const remote = await connectRemoteStore(dataDir);
    if (remote) return await inAll(places, (place) => remote.jobs(place, { signal }));
  }
  await using database: Database =
    databaseUrl === undefined
      ? await openPglite({ dir })
      : openPostgres({ url: databaseUrl, log: silentLog });
  const jobs = await openStoredJobs(database);
  return jobs ? await inAll(places, (place) => reportJobs(jobs, place)) : [];
}

/** Jobs of the runtime itself run once for all projects, in the installation's own. */
async function inAll(
  places: readonly ProjectScope[],
  read: (place: ProjectScope) => Promise<readonly JobReport[]>,
): Promise<readonly JobReport[]> {
  const found: JobReport[] = [];
  for (const [index, place] of places.entries()) {
    const reports = await read(place);
    const named = ({ bundle, ...rest }: JobReport) => ({
      ...{ ...rest, bundle: `${nameOf(place)}/${bundle}` },
    });
    found.push(...(index === 0 ? reports : reports.map(named)));
  }
  return found;
}

function toSummary(reports: readonly JobReport[]): string {
  const failing = reports
    .filter(({ failed }) => failed > 0)
    .toSorted((a, b) => (b.last?.atMs ?? 0) - (a.last?.atMs ?? 0));
  if (failing.length === 0) return `${reports.length} known, none has failed`;
  const shown = failing.slice(0, failingShownMax).map(describe).join('; ');
  const more = failing.length - failingShownMax;
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

function describe({ bundle, job, done, failed, last }: JobReport): string {
  const figures = `${bundle}/${job}: ${failed} of ${done + failed} attempts failed`;
  if (!last) return figures;
  const [line = ''] = escapeControl(last.error).split('\n');
  return `${figures}, the last at ${new Date(last.atMs).toISOString()} (${line.slice(0, errorCharsMax)})`;
}
