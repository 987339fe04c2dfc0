import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { LeaseKeeper } from '../../../../runtime/engine/lease/lease-keeper.ts';
import type { Engine } from '../../../../runtime/engine/ports/engine.ts';
import { LeasedConversation } from '../../../../runtime/engine/session/leased-conversation.ts';
import { manualClock } from '../../../../runtime/testing/index.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { missedBlocksMax } from '../../../../runtime/timeline/limits.ts';
import type { Lease } from '../../../../runtime/timeline/ports/store.ts';
import {
  close,
  followup,
  request,
  signal,
  started,
  thought,
} from '../../../contract/timeline-store/kit.ts';
import { openHarness } from '../kit/harness.ts';

type Step =
  | { readonly kind: 'append'; readonly blocks: number; readonly gate: number | undefined }
  | { readonly kind: 'parallel'; readonly appends: number }
  | { readonly kind: 'event'; readonly steer: boolean; readonly lost: boolean }
  | { readonly kind: 'burst'; readonly events: number }
  | { readonly kind: 'refresh' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    blocks: fc.integer({ min: 0, max: 3 }),
    gate: fc.constantFrom(undefined, 0, 1),
  }),
  fc.record({ kind: fc.constant('parallel' as const), appends: fc.integer({ min: 2, max: 4 }) }),
  fc.record({ kind: fc.constant('event' as const), steer: fc.boolean(), lost: fc.boolean() }),
  fc.record({
    kind: fc.constant('burst' as const),
    events: fc.constantFrom(2, missedBlocksMax, missedBlocksMax + 1),
  }),
  fc.record({ kind: fc.constant('refresh' as const) }),
);

/** A leased conversation over a store, the world beside it, and what its observers were shown. */
async function open() {
  const clock = manualClock();
  const store = openMemoryTimelineStore({ clock });
  const harness = await openHarness([]);
  const { sender, conversation, key, lease } = await started(store);
  const engine: Engine = { ...harness.engine, store, clock };
  const held = new LeaseKeeper(engine, { lease, since: clock.monotonic(), signal });
  const session = new LeasedConversation(engine, held);
  const shown: number[] = [];
  session.onBlocks((blocks) => shown.push(...blocks.map(({ seq }) => seq)));
  let reads = 0;
  const read = store.read.bind(store);
  store.read = (...args) => {
    reads += 1;
    return read(...args);
  };
  const accept = async (events: readonly Draft[]) =>
    await store.accept(request(sender, { conversation, events }), { signal });
  return {
    ...{ session, store, key, lease, shown, accept },
    takeReads: () => {
      const taken = reads;
      reads = 0;
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      await held[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function perform(step: Step, world: Awaited<ReturnType<typeof open>>): Promise<void> {
  const { session, lease, accept } = world;
  switch (step.kind) {
    case 'append': {
      const { gate } = step;
      const blocks = thoughts(lease, step.blocks);
      const rules = gate === undefined ? {} : { gate, asOf: session.view.head };
      return void (await session.append(blocks, rules));
    }
    case 'parallel':
      return void (await Promise.all(
        thoughts(lease, step.appends).map((block) => session.append([block])),
      ));
    case 'event': {
      const { seq } = await accept([followup('and?', step.steer ? 'steer' : 'followup')]);
      return step.lost ? undefined : session.noteHead(seq);
    }
    case 'burst':
      return void (await accept(Array.from({ length: step.events }, () => followup('more'))));
    case 'refresh':
      return void (await session.refresh());
  }
}

const thoughts = (lease: Lease, count: number) =>
  Array.from({ length: count }, (_, index) => thought(lease, `${index}`));

// proves: engine.append-folds
test('a session has exactly the fold of the log up to its head, with other writers in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using world = await open();
      const { session, store, key, shown } = world;
      await session.refresh();
      for (const each of steps) {
        await perform(each, world);
        const blocks = await store.read(key, { after: toSeq(0), limit: 10_000, signal });
        const known = blocks.filter(({ seq }) => seq <= session.view.head);
        expect(session.view).toEqual(foldAll(emptyView, known));
        expect(shown).toEqual(known.map(({ seq }) => seq));
        const isUnseen = each.kind === 'event' || each.kind === 'burst';
        if (each.kind === 'append' || each.kind === 'parallel') {
          expect(session.view.head).toBe(blocks.length);
        } else if (isUnseen) expect(session.view.head).toBeLessThan(blocks.length);
      }
    }),
    { numRuns: 60 },
  );
});

// proves: engine.append-folds
test('a turn reads its log once: appends bring what others wrote, and an announced head is read', async () => {
  await using world = await open();
  const { session, lease, accept } = world;
  await session.refresh();
  expect(world.takeReads()).toBe(1);
  await accept([followup('seen by the append')]);
  await session.append([thought(lease)]);
  await session.refresh();
  await session.append([thought(lease), close(lease)], { asOf: toSeq(2), gate: 1 });
  await session.refresh();
  expect(session.view.head).toBe(5);
  expect(world.takeReads()).toBe(0);
  const { seq } = await accept([followup('announced')]);
  session.noteHead(seq);
  expect((await session.refresh()).head).toBe(seq);
  expect(world.takeReads()).toBe(1);
});
