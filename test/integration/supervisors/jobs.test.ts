import { expect, test } from 'vitest';
import type { JobRequest } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { patient } from '../../tools/machine-speed.ts';
import { openDesk, type Where } from './kit.ts';

const source = `
import { defineAgent, defineBundle, defineJob, defineSecret, Fault, refuse } from 'timeloom/sdk';
import { z } from 'zod';
const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'a key' });
const mail = defineJob({ id: 'mail', input: z.object({ n: z.number(), to: z.string().default('ann') }), run: async ({ n, to }, ctx) => {
  await ctx.storage.bundle.set('mail', { n, to, pid: process.pid });
} });
const jobs = [
  mail,
  defineJob({ id: 'sweep', schedule: '0 * * * *', run: (_, ctx) => ctx.jobs.enqueue(mail, { n: 7 }, { key: 'k', delayMs: 5 }) }),
  defineJob({ id: 'wrong', run: (_, ctx) => ctx.jobs.enqueue(mail, { n: 'x' }) }),
  defineJob({ id: 'no', run: async (_, ctx) => refuse('closed', 'Not with ' + (await ctx.secrets.get(key))) }),
  defineJob({ id: 'fault', run: () => { throw new Fault('STORE_UNAVAILABLE'); } }),
  defineJob({ id: 'hang', run: (_, { signal }) => new Promise((_r, no) => signal.addEventListener('abort', () => no(signal.reason))) }),
  defineJob({ id: 'exit', run: () => process.exit(3) }),
  defineJob({ id: 'circle', run: () => { for (;;); } }),
];
export const bundle = defineBundle({
  id: 'desk', version: '1', secrets: [key], jobs, agents: [defineAgent({ id: 'main', instruction: 'x' })],
});
`;

async function openJobsDesk(where: Where) {
  const folder = await openFolder({ 'bundle.ts': source });
  const storage = createMemoryStorage(() => 0);
  const enqueued: JobRequest[] = [];
  const jobs = {
    enqueue: async (errand: JobRequest) => {
      enqueued.push(errand);
      return { job: `job_${enqueued.length}` };
    },
  };
  const desk = await openDesk({
    where,
    dir: folder.dir,
    host: { secret: async () => 'hunter2hunter2', storage, jobs },
  });
  const find = (id: string) => {
    const job = desk.bundle.jobs.find((one) => one.id === id);
    if (!job) throw new Error(`there is no ${id}`);
    return job;
  };
  const close = async () => {
    await desk[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  const run = (id: string, input = {}, signal = AbortSignal.timeout(patient(30_000))) =>
    find(id).run(input, { signal });
  const kept = () => storage.get('bundle/acme/ops/desk/', 'mail');
  return { run, find, kept, enqueued, [Symbol.asyncDispose]: close };
}

// proves: jobs.separate
test.each<Where>(['in_worker', 'separate'])('jobs run the same %s', async (where) => {
  await using desk = await openJobsDesk(where);
  await desk.run('mail', { n: 4 });
  const kept = (await desk.kept()) as { pid: number };
  expect(kept).toMatchObject({ n: 4, to: 'ann' });
  expect(kept.pid === process.pid).toBe(where === 'in_worker');
  await expect(desk.run('mail', { n: 'x' })).rejects.toMatchObject({ code: 'invalid_input' });
  await desk.run('sweep');
  expect(desk.enqueued).toEqual([{ job: 'mail', input: { n: 7 }, key: 'k', delayMs: 5 }]);
  await expect(desk.run('wrong')).rejects.toMatchObject({ code: 'invalid_input' });
  expect(desk.enqueued).toHaveLength(1);
  const no = await desk.run('no').catch((error: unknown) => error);
  expect(no).toMatchObject({ code: 'closed' });
  expect(desk.find('no').explain(no)).toMatch(/^closed: Not with (?!hunter2)/);
  await expect(desk.run('fault')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const stop = new AbortController();
  const hanging = desk.run('hang', {}, stop.signal);
  stop.abort(new Error('gone'));
  await expect(hanging).rejects.toThrow('gone');
});

// proves: jobs.separate
test('the end of the process is a failure of the run; an endless loop is ended, and the next run is done', async () => {
  await using desk = await openJobsDesk('separate');
  await expect(desk.run('exit')).rejects.toMatchObject({ code: 'SUPERVISOR_FAILED' });
  await desk.run('mail', { n: 1 });
  const circling = desk.run('circle', {}, AbortSignal.timeout(200));
  await expect(circling).rejects.toThrow(/timeout/);
  await desk.run('mail', { n: 2 });
  expect(await desk.kept()).toMatchObject({ n: 2 });
});
