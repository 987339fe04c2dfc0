import { expect, test } from 'vitest';
import type { Clock } from '../../../runtime/base/clock.ts';
import { Rate } from '../../../runtime/gateway/rate.ts';

function clockAt(time: { ms: number }): Clock {
  return { now: () => time.ms, monotonic: () => time.ms, sleep: () => Promise.resolve() };
}

test('so many at once, then one each time a token has come', () => {
  const time = { ms: 0 };
  const rate = new Rate(clockAt(time), 6);
  for (let n = 0; n < 6; n += 1) rate.draw('ann');
  const refused = () => rate.draw('ann');
  expect(refused).toThrow(
    expect.objectContaining({ code: 'busy', retryable: true, retryAfterMs: 10_000 }),
  );
  rate.draw('bob');
  time.ms = 9_999;
  expect(refused).toThrow('6 messages a minute');
  time.ms = 10_000;
  rate.draw('ann');
  expect(refused).toThrow();
  time.ms = 3_600_000;
  for (let n = 0; n < 6; n += 1) rate.draw('ann');
  expect(refused).toThrow();
});

test('a refusal says what there was too much of', () => {
  const rate = new Rate(clockAt({ ms: 0 }), 1, 'forks');
  rate.draw('ann');
  expect(() => rate.draw('ann')).toThrow('more than 1 forks a minute');
});
