import { expect, test } from 'vitest';
import { presenceMs } from '../../../../runtime/cli/wiring/limits.ts';
import { Presence } from '../../../../runtime/cli/wiring/presence.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';

function opened() {
  const clock = manualClock();
  const changes: string[] = [];
  const arrived = () => changes.push('arrived');
  const left = () => changes.push('left');
  return { clock, changes, presence: new Presence(clock, { arrived, left }) };
}

// proves: exec.present
test('somebody is there from the first client until a while after the last has left', async () => {
  const { clock, changes, presence } = opened();
  const [client, turn] = [presence.enter(), presence.enter()];
  client[Symbol.dispose]();
  await clock.advance(presenceMs);
  expect(changes).toEqual(['arrived']);
  turn[Symbol.dispose]();
  await clock.advance(presenceMs - 1);
  expect(changes).toEqual(['arrived']);
  await clock.advance(1);
  expect(changes).toEqual(['arrived', 'left']);
  presence.enter();
  expect(changes).toEqual(['arrived', 'left', 'arrived']);
});

test('a client that comes back in time has never been away', async () => {
  const { clock, changes, presence } = opened();
  presence.enter()[Symbol.dispose]();
  await clock.advance(presenceMs - 1);
  const client = presence.enter();
  await clock.advance(presenceMs);
  expect(changes).toEqual(['arrived']);
  client[Symbol.dispose]();
  client[Symbol.dispose]();
  const other = presence.enter();
  await clock.advance(presenceMs);
  expect(changes).toEqual(['arrived']);
  other[Symbol.dispose]();
  await presence[Symbol.asyncDispose]();
  await clock.advance(presenceMs);
  expect(changes).toEqual(['arrived']);
});
