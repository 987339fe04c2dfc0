import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import type { Bus, DeltaFrame } from '../../../../runtime/engine/ports/bus.ts';
import { beginning, parseCursor } from '../../../../runtime/gateway/feed/cursor.ts';
import { openFeed, type Sink } from '../../../../runtime/gateway/feed/feed.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import {
  noTurn,
  type Seq,
  type StreamName,
  type TurnId,
  toConversationKey,
  toSeq,
  toStreamName,
  toTurnId,
  turnToChoose,
} from '../../../../runtime/timeline/ids.ts';
import type { TimelineStore } from '../../../../runtime/timeline/ports/store.ts';

const signal = new AbortController().signal;
const scope = { tenant: 't', project: 'p' };

/** What happens in a conversation, one thing after the other. */
export type Step =
  | { readonly do: 'delta'; readonly stream: number; readonly late: boolean }
  | { readonly do: 'finish'; readonly stream: number }
  | { readonly do: 'block' }
  | { readonly do: 'internal' }
  | { readonly do: 'followup' }
  | { readonly do: 'takeover' }
  | { readonly do: 'reset' }
  | { readonly do: 'roundclose'; readonly outcome: 'interrupted' | 'acted' }
  | { readonly do: 'close' };

/** Plays steps against a store and a bus. */
export class World {
  readonly store: TimelineStore = openMemoryTimelineStore({ clock: systemClock });
  readonly bus: Bus;
  #turns = 0;
  #messages = 0;
  #ops = 0;
  #number = 0;
  #fence = 0;
  #round = 1;
  #finished = new Set<string>();

  constructor(bus: Bus) {
    this.bus = bus;
  }

  async row() {
    const row = await this.store.find(scope, 'conv_a', { signal });
    if (!row) throw new Error('no conversation');
    return row;
  }

  async say(): Promise<void> {
    const seq = await this.sayQuietly();
    this.bus.publish(toConversationKey(1), [{ kind: 'head', head: toSeq(seq) }]);
  }

  /** Appended without a notification. */
  async sayQuietly(): Promise<number> {
    this.#messages += 1;
    const message = `m${this.#messages}`;
    this.#turns += 1;
    const accepted = await this.store.accept(
      {
        sender: { ...scope, user: 'u' },
        conversation: 'conv_a',
        newConversation: 'conv_a',
        message,
        digest: message,
        events: [
          {
            turn: turnToChoose,
            type: 'external.followup',
            author: 'user',
            event: message,
            text: message,
          },
        ],
        reactive: true,
        newTurn: toTurnId(`turn_${this.#turns}`),
        turnData: { bundle: 'b', agent: 'a' },
      },
      { signal },
    );
    return accepted.seq;
  }

  /** The generation of the open turn is tried again: what it has shown is dropped, and its streams begin again. */
  async retry(): Promise<void> {
    const { openTurn = noTurn, head } = await this.row();
    this.#reset(openTurn, head);
    this.#finished.clear();
  }

  async play(what: Step): Promise<void> {
    const row = await this.row();
    if (row.openTurn === undefined || what.do === 'followup') return this.say();
    if (this.#fence === 0 || what.do === 'takeover') await this.#own();
    const turn = row.openTurn;
    if (what.do === 'reset') return this.#reset(turn, row.head);
    if (what.do === 'delta') return this.#delta(turn, row.head, what);
    if (what.do === 'finish') {
      const name = this.#name(turn, what.stream);
      this.#finished.add(name);
      return this.#append({
        turn,
        type: 'react.thinking',
        author: 'agent',
        text: 'x',
        data: { stream: name },
      });
    }
    if (what.do === 'roundclose') {
      const data = { round: this.#round, outcome: what.outcome };
      this.#round += 1;
      return this.#append({ turn, type: 'round.close', author: 'system', data });
    }
    if (what.do === 'block')
      return this.#append({ turn, type: 'timeline_text', author: 'agent', text: 'b' });
    if (what.do === 'internal') return this.#append({ turn, type: 'model.call', author: 'system' });
    if (what.do === 'close')
      return this.#append({
        turn,
        type: 'turn.close',
        author: 'system',
        data: { reason: 'completed' },
      });
  }

  /** Memory leases run out only with time: a takeover is the next fence after a release. */
  async #own(): Promise<void> {
    if (this.#fence > 0)
      await this.store.release(toConversationKey(1), { fence: this.#fence, signal });
    const lease = await this.store.acquire(toConversationKey(1), {
      worker: 'w',
      ttlMs: 60_000,
      signal,
    });
    this.#fence = lease?.fence ?? 0;
    this.#number = 0;
  }

  #name(turn: TurnId, at: number): StreamName {
    return toStreamName(`${turn}.${this.#fence}.${this.#round}.thinking.${at}`);
  }

  #delta(turn: TurnId, head: Seq, what: Step & { do: 'delta' }): void {
    const name = this.#name(turn, what.stream);
    if (this.#finished.has(name)) return;
    this.#number += 1;
    const place = {
      after: what.late ? toSeq(Math.max(1, head - 2)) : head,
      fence: this.#fence,
      number: this.#number,
    };
    const named = {
      turn,
      round: this.#round,
      channel: 'thinking',
      instance: 1,
      stream: name,
      marker: 'thinking',
    };
    const frame: DeltaFrame = {
      kind: 'delta',
      ...place,
      ...named,
      text: 'x',
      offset: 0,
      completed: false,
    };
    this.bus.publish(toConversationKey(1), [{ kind: 'frame', frame }]);
  }

  /** What a round that was interrupted leaves behind. */
  #reset(turn: TurnId, head: Seq): void {
    this.#number += 1;
    const place = {
      after: head,
      fence: this.#fence,
      number: this.#number,
      turn,
      round: this.#round,
    };
    const frame = {
      kind: 'live' as const,
      ...place,
      type: 'stream.reset',
      data: { round: this.#round },
    };
    this.bus.publish(toConversationKey(1), [{ kind: 'frame', frame }]);
    for (const at of [1, 2, 3]) this.#finished.add(this.#name(turn, at));
  }

  async #append(block: Draft): Promise<void> {
    this.#ops += 1;
    const request = {
      fence: this.#fence,
      op: `op${this.#ops}`,
      blocks: [block],
      asOf: toSeq(Number.MAX_SAFE_INTEGER),
    };
    const { head } = await this.store.append(toConversationKey(1), request, { signal });
    this.bus.publish(toConversationKey(1), [{ kind: 'head', head }]);
  }
}

/** Follows the conversation until it has delivered everything, from the beginning or after the last of `heard`. */
export class Listener {
  readonly heard: WireEnvelope[];
  readonly #sink: Sink;
  #notify = () => undefined as unknown;

  /** One that makes the feed wait does not say whether it has room. */
  constructor(heard: readonly WireEnvelope[] = [], { ready }: Partial<Pick<Sink, 'ready'>> = {}) {
    this.heard = [...heard];
    this.#sink = {
      send: (envelope) => {
        this.heard.push(envelope);
        this.#notify();
      },
      ready: ready ?? (() => Promise.resolve()),
      ...(!ready && { hasRoom: () => true }),
      end: () => this.#notify(),
    };
  }

  async during(world: World, act: () => Promise<void>): Promise<void> {
    const last = this.heard.at(-1);
    const start = last ? parseCursor('conv_a', last.cursor) : beginning;
    if (!start) throw new Error('no cursor');
    const deps = { store: world.store, bus: world.bus, clock: systemClock, log: silentLog };
    await using _feed = openFeed(deps, await world.row(), { start, sink: this.#sink });
    await act();
  }

  /** Until it has heard something like this. */
  hasHeardSome(wanted: (envelope: WireEnvelope) => boolean): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#notify = () => (this.heard.some(wanted) ? resolve() : undefined);
      this.#notify();
    });
  }

  toEnd(world: World): Promise<void> {
    return this.during(world, () => this.hasHeard(world));
  }

  /** The close of the last turn is what every run ends with. */
  async hasHeard(world: World): Promise<void> {
    const { head } = await world.row();
    const isEnd = () => {
      const last = this.heard.at(-1);
      return last?.seq === head && last.data?.['state'] === 'idle';
    };
    await new Promise<void>((resolve) => {
      this.#notify = () => (isEnd() ? resolve() : undefined);
      this.#notify();
    });
  }
}
