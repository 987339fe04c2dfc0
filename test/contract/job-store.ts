import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jobFailuresKeptMax, jobQueueMax } from '../../runtime/engine/limits.ts';
import type { Claim, JobName, JobStore, ServedJob } from '../../runtime/engine/ports/jobs.ts';
import { newSender } from './timeline-store/kit.ts';

/** Two ends of one store: two connections where there can be two, else the same object twice. */
export type JobStoreUnderTest = AsyncDisposable & {
  readonly near: JobStore;
  readonly far: JobStore;
  /** Lets time go by for the store. */
  pass(ms: number): Promise<void>;
  /** Puts this many items into the queue of a job. */
  fill(name: JobName, count: number): Promise<void>;
};

const long = { by: 'a', ttlMs: 60_000 };
const brief = { by: 'a', ttlMs: 20 };

/** What every JobStore promises; each test works in a project of its own. */
export function jobStoreContract(name: string, open: () => Promise<JobStoreUnderTest>): void {
  describe(`${name} keeps the promises of jobs`, () => {
    let under: JobStoreUnderTest;
    let mail: JobName;
    let sweep: JobName;
    let last = 0;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(async () => {
      await under[Symbol.asyncDispose]();
    });
    beforeEach(() => {
      const { tenant, project } = newSender();
      mail = { tenant, project, bundle: 'desk', job: 'mail' };
      sweep = { ...mail, job: 'sweep' };
    });
    const enqueue = (
      input: Parameters<JobStore['enqueue']>[1]['input'],
      { store = under.near, job = mail, key = '', delayMs = 0 } = {},
    ) => {
      last += 1;
      const errand = { id: `job_${last}`, input, delayMs, ...(key === '' ? {} : { key }) };
      return store.enqueue(job, errand);
    };
    const claimed = async (
      jobs: readonly ServedJob[] = [mail],
      options = long,
      store = under.near,
    ) => {
      const claim = await store.claim(jobs, options);
      if (!claim) throw new Error('nothing is due');
      return claim;
    };
    const countOf = async (job: JobName) =>
      (await under.far.counts(job)).find((count) => count.job === job.job);
    const done = (claim: Claim, nextMs?: number) =>
      under.near.finish(claim, { kind: 'done', ...(nextMs === undefined ? {} : { nextMs }) });

    // proves: jobs.durable
    test('what one end enqueues the other performs, in order, each once', async () => {
      const { far } = under;
      const first = await enqueue({ n: 1, text: 'NUL \0, half a pair \ud800 and 😀', f: 1e-7 });
      await enqueue([null]);
      expect(await countOf(mail)).toMatchObject({ bundle: 'desk', waiting: 2, done: 0, failed: 0 });
      const one = await claimed([mail], long, far);
      expect(one).toMatchObject({ name: mail, errand: first, attempt: 1, interrupted: false });
      expect(one.input).toEqual({ n: 1, text: 'NUL \0, half a pair \ud800 and 😀', f: 1e-7 });
      expect(one.nowMs).toBeGreaterThanOrEqual(one.dueMs);
      expect(await far.finish(one, { kind: 'done' })).toBe(true);
      const other = await claimed();
      expect(other.input).toEqual([null]);
      expect(await done(other)).toBe(true);
      expect(await under.near.claim([mail], long)).toBeUndefined();
      expect(await countOf(mail)).toMatchObject({ waiting: 0, done: 2, failed: 0 });
    });

    // proves: jobs.no-overlap
    test('of one job one errand is performed at a time, of others meanwhile', async () => {
      const { near, far } = under;
      await enqueue(1);
      await enqueue(2);
      await enqueue(3, { job: sweep });
      const jobs = [mail, sweep];
      const racing = await Promise.all([near, far, near, far].map((end) => end.claim(jobs, long)));
      const claims = racing.flatMap((claim) => claim ?? []);
      expect(claims.map(({ input }) => input).toSorted()).toEqual([1, 3]);
      expect(await far.claim(jobs, long)).toBeUndefined();
      for (const claim of claims) await near.finish(claim, { kind: 'done' });
      expect(await claimed(jobs)).toMatchObject({ input: 2 });
    });

    test('nobody performs the jobs of others', async () => {
      await enqueue(1);
      expect(await under.near.claim([{ ...mail, bundle: 'other' }, sweep], long)).toBeUndefined();
      expect(await under.near.claim([], long)).toBeUndefined();
      expect(await under.near.counts({ tenant: mail.tenant, project: 'other' })).toEqual([]);
    });

    // proves: jobs.keys
    test('the same key again changes nothing, also when its errand is done, and keys of jobs never meet', async () => {
      const { far } = under;
      const first = await enqueue(1, { key: 'k' });
      expect(await enqueue(2, { key: 'k', store: far })).toBe(first);
      expect(await enqueue(3, { key: 'k', job: sweep })).not.toBe(first);
      expect(await enqueue(4, { key: '漢'.repeat(400) })).not.toBe(first);
      const claim = await claimed();
      expect(claim).toMatchObject({ errand: first, input: 1 });
      await done(claim);
      expect(await enqueue(5, { key: 'k' })).toBe(first);
      expect(await countOf(mail)).toMatchObject({ waiting: 1, done: 1 });
      const again = { id: first, input: 6, delayMs: 0 };
      expect(await far.enqueue(mail, again)).toBe(first);
    });

    test('the same id again is the same errand: a lost reply doubles nothing', async () => {
      const errand = { id: 'job_same', input: 1, delayMs: 0 };
      await under.near.enqueue(mail, errand);
      await under.far.enqueue(mail, errand);
      expect(await countOf(mail)).toMatchObject({ waiting: 1 });
    });

    test('of writers with one key at the same time one enqueues', async () => {
      const { near, far } = under;
      const racing = [near, far, near, far].map((store, n) => enqueue(n, { store, key: 'race' }));
      expect(new Set(await Promise.all(racing)).size).toBe(1);
      expect(await countOf(mail)).toMatchObject({ waiting: 1 });
    });

    test('what is delayed is not due before', async () => {
      await enqueue(1, { delayMs: 40 });
      expect(await under.near.claim([mail], long)).toBeUndefined();
      await under.pass(50);
      expect(await claimed()).toMatchObject({ input: 1 });
    });

    // proves: jobs.failures
    test('what fails is due again after its pause, kept with its input and counted, until it is given up', async () => {
      const { near, far } = under;
      const id = await enqueue({ to: 'ann' });
      const first = await claimed();
      await near.finish(first, { kind: 'failed', error: 'no route', retryMs: 40 });
      expect(await near.claim([mail], long)).toBeUndefined();
      expect(await countOf(mail)).toMatchObject({ waiting: 1, done: 0, failed: 1 });
      await under.pass(50);
      const second = await claimed([mail], long, far);
      expect(second).toMatchObject({ errand: id, attempt: 2, interrupted: false });
      await far.finish(second, { kind: 'failed', error: 'still none' });
      expect(await countOf(mail)).toMatchObject({ waiting: 0, done: 0, failed: 2 });
      const kept = { errand: id, input: { to: 'ann' } };
      expect(await near.failures(mail, { limit: 10 })).toMatchObject([
        { ...kept, attempt: 2, final: true, error: 'still none' },
        { ...kept, attempt: 1, final: false, error: 'no route' },
      ]);
      expect(await near.failures(mail, { limit: 1 })).toHaveLength(1);
      expect(await near.failures(sweep, { limit: 1 })).toEqual([]);
    });

    test('of failures the newest are kept', async () => {
      await enqueue(1);
      for (let n = 1; n <= jobFailuresKeptMax + 3; n += 1) {
        const claim = await claimed();
        await under.near.finish(claim, { kind: 'failed', error: `${n}`, retryMs: 0 });
      }
      const kept = await under.far.failures(mail, { limit: 1_000 });
      expect(kept.map(({ error }) => Number(error))).toEqual(
        Array.from({ length: jobFailuresKeptMax }, (_, n) => jobFailuresKeptMax + 3 - n),
      );
      expect(await countOf(mail)).toMatchObject({ failed: jobFailuresKeptMax + 3 });
    });

    // proves: jobs.crash
    test('an attempt that a process began and never finished is reported to the next claim, which has a higher fence', async () => {
      const { near, far } = under;
      await enqueue(1);
      const gone = await claimed([mail], brief);
      await under.pass(30);
      const found = await claimed([mail], long, far);
      expect(found).toMatchObject({ errand: gone.errand, attempt: 1, interrupted: true });
      expect(found.fence).toBeGreaterThan(gone.fence);
      expect(await near.renew(gone, { ttlMs: 60_000 })).toBe(false);
      expect(await near.finish(gone, { kind: 'done' })).toBe(false);
      await far.finish(found, { kind: 'failed', error: 'it ended', retryMs: 0 });
      expect(await claimed()).toMatchObject({ attempt: 2, interrupted: false });
    });

    test('a lease that is renewed holds, and the same end of an errand may be written twice', async () => {
      const { near, far } = under;
      await enqueue(1);
      const claim = await claimed([mail], brief);
      expect(await near.renew(claim, { ttlMs: 60_000 })).toBe(true);
      await under.pass(30);
      expect(await far.claim([mail], long)).toBeUndefined();
      expect(await done(claim)).toBe(true);
      expect(await done(claim)).toBe(true);
      expect(await countOf(mail)).toMatchObject({ done: 1 });
    });

    // proves: jobs.ticks
    test('a tick is due once for all, and again at the time that its run gives', async () => {
      const { near, far } = under;
      const served = { ...sweep, scheduleText: 'hourly' };
      const nowMs = await near.now();
      await near.schedule(sweep, { scheduleText: 'hourly', dueMs: nowMs - 5_000 });
      await far.schedule(sweep, { scheduleText: 'hourly', dueMs: nowMs + 60_000 });
      const racing = await Promise.all([near, far].map((end) => end.claim([served], long)));
      const [tick] = racing.flatMap((claim) => claim ?? []);
      if (!tick) throw new Error('no tick');
      expect(racing.filter((claim) => claim)).toHaveLength(1);
      expect(tick).toMatchObject({ errand: undefined, input: {}, attempt: 1 });
      expect(tick.dueMs).toBeCloseTo(nowMs - 5_000, 0);
      await done(tick, (await near.now()) + 40);
      expect(await far.claim([served], long)).toBeUndefined();
      await under.pass(50);
      expect(await claimed([served])).toMatchObject({ errand: undefined, attempt: 1 });
      expect(await countOf(sweep)).toMatchObject({ waiting: 0, done: 1 });
    });

    test('another schedule starts again, and a process that knows only the old one has no tick of it', async () => {
      const { near } = under;
      const nowMs = await near.now();
      const [old, young] = [
        { ...sweep, scheduleText: 'weekly' },
        { ...sweep, scheduleText: 'hourly' },
      ];
      await near.schedule(sweep, { scheduleText: 'weekly', dueMs: nowMs - 1 });
      const before = await claimed([old]);
      await near.schedule(sweep, { scheduleText: 'hourly', dueMs: nowMs - 1 });
      await done(before, nowMs + 7 * 86_400_000);
      expect(await near.claim([old], long)).toBeUndefined();
      expect(await near.claim([sweep], long)).toBeUndefined();
      const tick = await claimed([young]);
      await near.schedule(sweep, undefined);
      expect(await done(tick, nowMs - 1)).toBe(true);
      expect(await near.claim([young, old, sweep], long)).toBeUndefined();
    });

    // proves: jobs.limits
    test('a bundle whose queue is full is refused, whichever of its jobs it is, and has room again', async () => {
      const { near, far } = under;
      await enqueue(1, { key: 'known' });
      await under.fill(sweep, jobQueueMax - 2);
      const racing = [near, far, near].map((store) =>
        enqueue(2, { store }).catch((error: unknown) => error),
      );
      const refused = (await Promise.all(racing)).filter((each) => typeof each !== 'string');
      expect(refused).toMatchObject([
        { code: 'too_many', retryable: true },
        { code: 'too_many', retryable: true },
      ]);
      await enqueue(3, { key: 'known' });
      await enqueue(3, { job: { ...mail, bundle: 'other' } });
      await done(await claimed());
      await enqueue(4);
      await expect(enqueue(5)).rejects.toMatchObject({ code: 'too_many' });
    });
  });
}
