import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { beginning } from '../../../../runtime/gateway/feed/cursor.ts';
import { openFeed, type Sink } from '../../../../runtime/gateway/feed/feed.ts';
import { pollHead } from '../../../../runtime/gateway/feed/head-polls.ts';
import { feedPollMs, polledHeadsMax } from '../../../../runtime/gateway/feed/limits.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { type Seq, toConversationKey, toSeq } from '../../../../runtime/timeline/ids.ts';
import type { TimelineStore } from '../../../../runtime/timeline/ports/store.ts';
import { World } from './feed-world.ts';

type Heads = TimelineStore['heads'];

/** A store whose heads a test decides, and what was asked of it. */
function openPolls(answer: Heads) {
  const { store } = new World(openMemoryBus());
  const asked: number[] = [];
  store.heads = (keys, options) => {
    asked.push(keys.length);
    return answer(keys, options);
  };
  const clock = manualClock();
  const deps = { store, clock, log: silentLog };
  const heard: (readonly [key: number, head: Seq | undefined])[] = [];
  const follow = (key: number) =>
    pollHead(deps, toConversationKey(key), (head) => void heard.push([key, head]));
  return { clock, asked, heard, follow };
}

const three: Heads = async (keys) => new Map(keys.map((key) => [key, toSeq(3)]));

// proves: gateway.polls
test('a follower hears what the bus lost, and that its conversation was erased', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const clock = manualClock();
  const seqs: number[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sink: Sink = {
    send: ({ seq, data }) => void seqs.push(data?.['code'] === 'conversation_erased' ? -1 : seq),
    ready: () => Promise.resolve(),
    end,
  };
  const deps = { store: world.store, bus, clock, log: silentLog };
  const row = await world.row();
  await using _feed = openFeed(deps, row, { start: beginning, sink });
  await clock.advance(feedPollMs - 1);
  expect(seqs.at(-1)).toBe(2);
  await world.sayQuietly();
  await clock.advance(1);
  expect(seqs.at(-1)).toBe(3);
  await world.store.erase(row, row.id, { signal: new AbortController().signal });
  await clock.advance(feedPollMs);
  await ended;
  expect(seqs.at(-1)).toBe(-1);
});

// proves: gateway.polls
test('followers that begin within a second cost one query, and others one of their own', async () => {
  const { clock, asked, heard, follow } = openPolls(three);
  const together = [1, 2, 2, 3].map(follow);
  await clock.advance(1_500);
  const later = follow(1);
  await clock.advance(feedPollMs - 1_500);
  expect(asked).toEqual([3]);
  expect(heard).toEqual([1, 2, 2, 3].map((key) => [key, 3]));
  await clock.advance(1_500);
  expect(asked).toEqual([3, 1]);
  for (const one of together) one[Symbol.dispose]();
  await clock.advance(feedPollMs);
  expect(asked).toEqual([3, 1, 1]);
  later[Symbol.dispose]();
  await clock.advance(2 * feedPollMs);
  expect(asked).toEqual([3, 1, 1]);
});

// proves: gateway.polls
test('one query asks for a limited number of conversations', async () => {
  const { clock, asked, heard, follow } = openPolls(three);
  for (let key = 1; key <= polledHeadsMax + 1; key += 1) follow(key);
  await clock.advance(feedPollMs);
  expect(asked).toEqual([polledHeadsMax, 1]);
  expect(heard).toHaveLength(polledHeadsMax + 1);
});

// proves: gateway.polls
test('a store that does not answer is asked again later', async () => {
  let isAway = true;
  const { clock, heard, follow } = openPolls((keys, options) =>
    isAway ? Promise.reject(new Fault('STORE_UNAVAILABLE')) : three(keys, options),
  );
  follow(1);
  await clock.advance(feedPollMs);
  expect(heard).toEqual([]);
  isAway = false;
  await clock.advance(feedPollMs);
  expect(heard).toEqual([[1, 3]]);
});

// proves: gateway.polls
test('who leaves while the store is asked hears nothing more', async () => {
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { clock, heard, follow } = openPolls(async (keys, options) => {
    await asked;
    return three(keys, options);
  });
  const one = follow(1);
  follow(2);
  await clock.advance(feedPollMs);
  one[Symbol.dispose]();
  answer();
  await clock.advance(1);
  expect(heard).toEqual([[2, 3]]);
});
