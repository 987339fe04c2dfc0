import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { deleteIdle, type Retention } from '../../../../runtime/engine/background/delete-idle.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import {
  append,
  close,
  newSender,
  own,
  request,
  signal,
} from '../../../contract/timeline-store/kit.ts';

const dayMs = 86_400_000;

/** Conversations of several bundles, with a clock that the test controls. */
function open() {
  const clock = manualClock();
  const store = openMemoryTimelineStore({ clock });
  const bus = openMemoryBus();
  const parts = { store, bus, clock, log: silentLog };
  const { tenant, project, user } = newSender();
  const place = { tenant, project };
  const start = async (bundle: string, of = user) => {
    const sender = { ...place, user: of };
    const asked = { ...request(sender), turnData: { bundle, agent: 'main' } };
    const { key, conversation } = await store.accept(asked, { signal });
    if (key === undefined) throw new Error('the prompt was not accepted');
    const lease = await own(store, key);
    const finish = async () => {
      await store.append(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }), {
        signal,
      });
    };
    const isThere = async () => Boolean(await store.find(sender, conversation, { signal }));
    return { key, finish, isThere };
  };
  const clean = (retention: Retention) => deleteIdle(parts, { place, retention }, { signal });
  return { clock, bus, start, clean };
}

// proves: retention.rules
test('the rule of a bundle deletes its idle conversations, that of the installation the others', async () => {
  const { clock, start, clean } = open();
  const [desk, shop] = [await start('desk'), await start('shop', 'bob')];
  await desk.finish();
  await shop.finish();
  const retention = { days: 10, bundles: { desk: 30 } };
  await clock.advance(11 * dayMs);
  await clean(retention);
  expect([await desk.isThere(), await shop.isThere()]).toEqual([true, false]);
  await clock.advance(20 * dayMs);
  await clean({ bundles: { shop: 1 } });
  expect(await desk.isThere()).toBe(true);
  await clean(retention);
  expect(await desk.isThere()).toBe(false);
});

// proves: retention.rules
test('a conversation with an open turn, or with activity since, stays; subscribers of a deleted one are notified', async () => {
  const { clock, bus, start, clean } = open();
  const [old, open_, fresh] = [await start('desk'), await start('desk'), await start('desk')];
  await old.finish();
  const kinds: string[] = [];
  using _ = bus.subscribe(old.key, ({ kind }) => kinds.push(kind));
  await clock.advance(2 * dayMs);
  await fresh.finish();
  await clean({ days: 1, bundles: {} });
  expect([await old.isThere(), await open_.isThere(), await fresh.isThere()]).toEqual([
    ...[false, true, true],
  ]);
  expect(kinds).toEqual(['erased']);
});
