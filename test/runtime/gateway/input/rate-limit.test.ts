import { expect, test } from 'vitest';
import type { Clock } from '../../../../runtime/base/clock.ts';
import { RateLimit } from '../../../../runtime/gateway/input/rate-limit.ts';

function clockAt(time: { ms: number }): Clock {
  return { now: () => time.ms, monotonic: () => time.ms, sleep: () => Promise.resolve() };
}

test('a burst up to the limit, then one request per new token', () => {
  const time = { ms: 0 };
  const rate = new RateLimit(clockAt(time), { perMinute: 6 });
  for (let n = 0; n < 6; n += 1) rate.consume('ann');
  const refused = () => rate.consume('ann');
  expect(refused).toThrow(
    expect.objectContaining({ code: 'busy', retryable: true, retryAfterMs: 10_000 }),
  );
  rate.consume('bob');
  time.ms = 9_999;
  expect(refused).toThrow('6 messages a minute');
  time.ms = 10_000;
  rate.consume('ann');
  expect(refused).toThrow();
  time.ms = 3_600_000;
  for (let n = 0; n < 6; n += 1) rate.consume('ann');
  expect(refused).toThrow();
});

test('a refusal names what was limited', () => {
  const rate = new RateLimit(clockAt({ ms: 0 }), { perMinute: 1 }, 'forks');
  rate.consume('ann');
  expect(() => rate.consume('ann')).toThrow('more than 1 forks a minute');
});

test('the hourly limit holds for any distribution, and refused requests consume nothing', () => {
  const time = { ms: 0 };
  const rate = new RateLimit(clockAt(time), { perMinute: 2, perHour: 4 });
  const draw = () => rate.consume('ann');
  draw();
  draw();
  for (let n = 0; n < 50; n += 1) expect(draw).toThrow('more than 2 messages a minute');
  time.ms = 60_000;
  draw();
  draw();
  expect(draw).toThrow('more than 4 messages an hour');
  time.ms = 960_000;
  draw();
  expect(draw).toThrow('more than 4 messages an hour');
});

test('without a number there is no limit', () => {
  const rate = new RateLimit(clockAt({ ms: 0 }), {});
  for (let n = 0; n < 1_000; n += 1) rate.consume('ann');
});
