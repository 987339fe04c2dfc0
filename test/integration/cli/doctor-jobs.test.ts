import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { checkJobs } from '../../../runtime/cli/commands/doctor/check-jobs.ts';
import { openStoreSocket } from '../../../runtime/cli/server/store-socket.ts';
import type { JobStore } from '../../../runtime/engine/ports/jobs.ts';
import { config, dir, inFolder } from '../../runtime/cli/config/config-kit.ts';

inFolder();

const { signal } = new AbortController();

async function fail(jobs: JobStore, job: string, error: string): Promise<void> {
  const name = { tenant: 'dev', project: 'dev', bundle: 'desk', job };
  await jobs.enqueue(name, { id: `job_${job}`, input: {}, delayMs: 0 });
  const claim = await jobs.claim([name], { by: 'w', ttlMs: 60_000 });
  if (!claim) throw new Error('nothing is due');
  await jobs.finish(claim, { kind: 'failed', error });
}

// proves: jobs.failures-shown
test('the doctor shows the last failure of a job, from the data directory and through its server', async () => {
  const settings = config({}, { TIMELOOM_DATA_DIR: join(dir, 'data') });
  const { dataDir } = settings;
  expect(await checkJobs(settings, signal)).toEqual([]);
  await mkdir(dataDir, { mode: 0o700 });
  const shown = {
    what: 'jobs',
    ok: true,
    says: expect.stringMatching(
      /^desk\/mail: 1 of 1 attempts failed, the last at 20\d\d-\S+Z \(no connection\)$/,
    ) as unknown,
  };
  {
    await using store = await openPgliteTimelineStore({ dir: join(dataDir, 'timeline') });
    expect(await checkJobs(settings, signal).then((found) => found[0]?.says)).toMatch(
      /^DATA_DIR_HELD/,
    );
    await using _socket = await openStoreSocket(settings, {
      store,
      jobs: store.jobs,
      log: silentLog,
    });
    expect(await checkJobs(settings, signal)).toEqual([]);
    await fail(store.jobs, 'mail', 'no connection\nat line 1');
    expect(await checkJobs(settings, signal)).toEqual([shown]);
  }
  expect(await checkJobs(settings, signal)).toEqual([shown]);
});
