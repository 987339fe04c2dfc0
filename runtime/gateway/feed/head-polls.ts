import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ConversationKey, Seq } from '../../timeline/ids.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import { feedPollMs, feedPollParts, polledHeadsMax } from './limits.ts';

type PollDeps = { readonly store: TimelineStore; readonly clock: Clock; readonly log: Log };
type Follower = {
  readonly key: ConversationKey;
  /** Undefined: the conversation is erased. */
  hear(head: Seq | undefined): void;
};

/** The rounds of polls of each store. They end with their last follower. */
const roundsOf = new WeakMap<TimelineStore, Map<number, PollRound>>();

/**
 * Tells the head of a conversation every `feedPollMs`, until it is disposed. All followers that begin in the same part of this interval
 * cost one query.
 */
export function pollHead(deps: PollDeps, key: ConversationKey, hear: Follower['hear']): Disposable {
  const rounds = roundsOf.get(deps.store) ?? new Map<number, PollRound>();
  roundsOf.set(deps.store, rounds);
  const part = Math.floor((deps.clock.monotonic() * feedPollParts) / feedPollMs) % feedPollParts;
  const round = rounds.get(part) ?? new PollRound(deps);
  rounds.set(part, round);
  const follower = { key, hear };
  round.enter(follower);
  return {
    [Symbol.dispose]: () => {
      if (!round.leave(follower)) return;
      if (rounds.get(part) === round) rounds.delete(part);
    },
  };
}

class PollRound {
  readonly #deps: PollDeps;
  readonly #stop = new AbortController();
  readonly #followers = new Set<Follower>();

  constructor(deps: PollDeps) {
    this.#deps = deps;
    this.#run().catch((reason: unknown) => {
      if (!this.#stop.signal.aborted) throw reason;
    });
  }

  enter(follower: Follower): void {
    this.#followers.add(follower);
  }

  /** True: it was the last, and the round has ended. */
  leave(follower: Follower): boolean {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return false;
    this.#stop.abort();
    return true;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#stop;
    for (;;) {
      await clock.sleep(feedPollMs, { signal });
      try {
        await this.#poll(signal);
      } catch (error) {
        signal.throwIfAborted();
        log.warn('subscriptions could not look for news', { error });
      }
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const followers = [...this.#followers];
    const keys = [...new Set(followers.map(({ key }) => key))];
    for (let at = 0; at < keys.length; at += polledHeadsMax) {
      const page = new Set(keys.slice(at, at + polledHeadsMax));
      const heads = await this.#deps.store.heads([...page], { signal });
      for (const follower of followers) {
        const { key } = follower;
        if (page.has(key) && this.#followers.has(follower)) follower.hear(heads.get(key));
      }
    }
  }
}
