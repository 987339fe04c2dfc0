import { silentLog } from '../../../../runtime/base/log.ts';
import type { Bus, Note } from '../../../../runtime/engine/ports/bus.ts';
import { beginning } from '../../../../runtime/gateway/feed/cursor.ts';
import { openFeed, type Sink } from '../../../../runtime/gateway/feed/feed.ts';
import type { ConversationRow, TimelineStore } from '../../../../runtime/timeline/ports/store.ts';
import { type Chance, createChance } from './chance.ts';
import { scope } from './messages.ts';
import type { World } from './world.ts';

/** Delays an answer of the store by at most this many promise ticks. */
const ticksMax = 40;
const { signal } = new AbortController();

type Follower = AsyncDisposable & {
  /** It was notified of blocks that it has not read, although no read is in progress. */
  isBehind(): boolean;
};

/** One follower per conversation, from its creation on. */
export class Followers implements AsyncDisposable {
  readonly #world: World;
  readonly #chance: Chance;
  readonly #conversations: readonly string[];
  readonly #followers = new Map<string, Follower>();
  readonly faults: string[] = [];

  constructor(
    world: World,
    { seed, conversations }: { seed: number; conversations: readonly string[] },
  ) {
    this.#world = world;
    // Has its own random numbers: followers do not change a story.
    this.#chance = createChance(seed);
    this.#conversations = conversations;
  }

  /** Checks between two ticks of the clock, when no read is in progress. */
  async look(): Promise<void> {
    const behind = [...this.#followers].filter(([, follower]) => follower.isBehind());
    for (const [id] of behind)
      this.faults.push(`a follower of ${id} waits although blocks were announced`);
    for (const id of this.#conversations) {
      if (this.#followers.has(id)) continue;
      const row = await this.#world.store.find(scope, id, { signal });
      if (row) this.#followers.set(id, follow(this.#world, row, this.#chance));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#followers.values()].map((each) => each[Symbol.asyncDispose]()));
  }
}

/** Follows a conversation on a slow store: notifications arrive at any moment of its reads. */
function follow(world: World, row: ConversationRow, chance: Chance): Follower {
  let announced = 0;
  let read = 0;
  const store = withRead(world.store, async (key, range) => {
    const blocks = await world.store.read(key, range);
    for (let tick = chance.below(ticksMax); tick > 0; tick -= 1) await Promise.resolve();
    read = blocks.at(-1)?.seq ?? read;
    return blocks;
  });
  const hear = (note: Note) => {
    if (note.kind === 'head') announced = Math.max(announced, note.head);
  };
  const bus: Bus = {
    ...world.bus,
    subscribe: (key, listener) =>
      world.bus.subscribe(key, (note) => {
        hear(note);
        listener(note);
      }),
  };
  const sink: Sink = {
    send: () => undefined,
    ready: () => Promise.resolve(),
    end: () => undefined,
  };
  const deps = { store, bus, clock: world.clock, log: silentLog };
  const feed = openFeed(deps, row, { start: beginning, sink });
  return {
    isBehind: () => read < announced,
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
}

function withRead(store: TimelineStore, read: TimelineStore['read']): TimelineStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'read') return read;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
