import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseSchedule } from '../../../../runtime/sdk/compile/operations/schedule.ts';
import { defineJob } from '../../../../runtime/sdk/index.ts';
import { bundleWith, compile } from '../kit.ts';

const run = () => undefined;

function ticks(pattern: string, timezone: string | undefined, from: string) {
  const parsed = parseSchedule(pattern, timezone);
  if ('because' in parsed) return parsed.because;
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < 3; ) {
    at = parsed.schedule.next(at);
    found.push(new Date(at).toISOString().slice(5, 16));
  }
  return found;
}

// proves: jobs.schedule
test('a schedule follows its time zone, by default UTC', () => {
  expect(ticks('0 7 * * *', undefined, '2026-01-01')).toEqual([
    ...['01-01T07:00', '01-02T07:00', '01-03T07:00'],
  ]);
  expect(ticks('0 7 * * 1-5', 'America/New_York', '2026-01-01')).toEqual([
    ...['01-01T12:00', '01-02T12:00', '01-05T12:00'],
  ]);
});

// proves: jobs.schedule
test('a skipped hour and a repeated hour each run once', () => {
  expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z')).toEqual([
    ...['03-28T01:30', '03-29T01:00', '03-30T00:30'],
  ]);
  expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z')).toEqual([
    ...['10-24T00:30', '10-25T00:30', '10-26T01:30'],
  ]);
  expect(ticks('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z')).toEqual([
    ...['10-25T00:00', '10-25T01:00', '10-25T02:00'],
  ]);
});

// proves: jobs.load
test('invalid job definitions stop the load, and all problems are reported', async () => {
  const jobs = [
    defineJob({ id: 'Bad', run }),
    defineJob({ id: 'twice', run }),
    defineJob({ id: 'twice', run }),
    defineJob({ id: 'six', schedule: '* * * * * *', run }),
    defineJob({ id: 'hour', schedule: '0 25 * * *', run }),
    defineJob({ id: 'february', schedule: '0 0 30 2 *', run }),
    defineJob({ id: 'berln', schedule: '0 7 * * *', timezone: 'Europe/Berln', run }),
    defineJob({ id: 'nowhere', timezone: 'UTC', run }),
    defineJob({ id: 'often', attempts: 0, run }),
    defineJob({ id: 'long', timeoutMs: 3_600_001, run }),
    defineJob({ id: 'needs', schedule: '* * * * *', input: z.object({ to: z.string() }), run }),
    defineJob({ id: 'each', schedule: '* * * * *', on: 'all' as never, run }),
    defineJob({ ...{ sched: '* * * * *' }, id: 'typo', run }),
    { id: 'bare' },
  ];
  const error = await compile(bundleWith([], { jobs })).catch((thrown: Error) => thrown);
  const { message } = error as Error;
  for (const said of [
    'job “Bad” is not kebab-case',
    'duplicate job “twice”',
    'job “six”: its schedule “* * * * * *” is not a cron expression with five fields',
    /job “hour”: its schedule “0 25 \* \* \*” is not a valid cron expression: .*25/,
    /job “february”: .*the day does not exist/,
    'job “berln”: unknown time zone “Europe/Berln”',
    'job “nowhere”: timezone and on require a schedule',
    'job “often”: attempts must be between 1 and 20',
    'job “long”: timeoutMs must be between 1 and 3600000',
    'job “needs”: a scheduled run has no input: its schema must accept {}',
    "job “each”: on must be 'one' or 'each'",
    /job “typo” has an unknown key “sched”; did you mean schedule/,
    'a job was not made by defineJob',
  ]) {
    expect(message).toMatch(said);
  }
});

test('jobs are served without a notice', async () => {
  const jobs = [
    defineJob({ id: 'sweep', schedule: '0 * * * *', on: 'each', run }),
    defineJob({ id: 'mail', run }),
  ];
  const bundle = await compile(bundleWith([], { jobs }));
  expect(bundle.notices).toEqual([]);
  expect(bundle.jobs).toMatchObject([
    { id: 'sweep', on: 'each', attempts: 1, schedule: { key: '0 * * * * UTC' } },
    { id: 'mail', on: 'one', attempts: 3 },
  ]);
});
