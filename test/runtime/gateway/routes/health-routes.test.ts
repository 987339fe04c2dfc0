import { expect, test } from 'vitest';
import { createMemoryJobs } from '../../../../runtime/adapters/memory/jobs.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { openStage } from '../stage.ts';

const mail = { tenant: 'dev', project: 'dev', bundle: 'desk', job: 'mail' };

// proves: jobs.failures-shown
test('metrics show what the jobs of all processes have done', async () => {
  const jobs = createMemoryJobs({ clock: systemClock });
  for (const id of ['job_1', 'job_2']) await jobs.enqueue(mail, { id, input: {}, delayMs: 0 });
  const claim = await jobs.claim([mail], { by: 'w', ttlMs: 60_000 });
  if (!claim) throw new Error('nothing is due');
  await jobs.finish(claim, { kind: 'failed', error: 'no connection' });
  await using stage = await openStage({ jobs });
  const metrics = await (await fetch(`${stage.gateway.url}/metrics`)).text();
  const labels = '{bundle="desk",job="mail"}';
  expect(metrics).toContain(`timeloom_job_failures_total${labels} 1\n`);
  expect(metrics).toContain(`timeloom_job_successes_total${labels} 0\n`);
  expect(metrics).toContain(`timeloom_jobs_waiting${labels} 1\n`);
});

test('metrics answer without the jobs while the store does not', async () => {
  const counts = () => Promise.reject(new Fault('STORE_UNAVAILABLE'));
  await using stage = await openStage({ jobs: { counts } });
  const answer = await fetch(`${stage.gateway.url}/metrics`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(/^timeloom_sockets 0\n[\s\S]*timeloom_uptime_seconds \d+\n$/);
});
