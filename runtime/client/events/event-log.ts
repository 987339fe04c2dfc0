import type { Refusal } from '../../base/refusal.ts';
import type { ChatEvent } from '../api/types.ts';
import { eventsKeptMax } from '../protocol/limits.ts';
import { isClientClosed } from '../transport/client-closed.ts';

type Node = { readonly event: ChatEvent | undefined; next: Node | undefined };
type End = { readonly error: Refusal | undefined };

/** A position in the log, before the events that follow it. Holding a position keeps those events. */
export type Position = { readonly node: Node };

/**
 * The events of a conversation, past and future, for any number of listeners that start at any position.
 *
 * A linked list, not an array: a slow listener keeps the events after its position, and all other old events are freed.
 */
export class EventLog {
  #first: Node = { event: undefined, next: undefined };
  #last: Node = this.#first;
  #kept = 0;
  #end: End | undefined;
  readonly #waiting = new Set<() => void>();

  get start(): Position {
    return { node: this.#first };
  }

  get end(): Position {
    return { node: this.#last };
  }

  append(event: ChatEvent): void {
    const node: Node = { event, next: undefined };
    this.#last.next = node;
    this.#last = node;
    this.#kept += 1;
    while (this.#kept > eventsKeptMax && this.#first.next) {
      this.#first = this.#first.next;
      this.#kept -= 1;
    }
    this.#wake();
  }

  /** No more events follow. Listeners receive the remaining events, then the error. Without an error, or if the client was closed, they just end. */
  close(error?: Refusal): void {
    this.#end ??= { error: error && isClientClosed(error) ? undefined : error };
    this.#wake();
  }

  /** The position right after the event with this cursor; undefined if the event is not kept. */
  after(cursor: string): Position | undefined {
    for (let node: Node | undefined = this.#first; node; node = node.next) {
      if (node.event?.cursor === cursor) return { node };
    }
    return undefined;
  }

  /** The past events that are still kept. */
  past(): readonly ChatEvent[] {
    const events: ChatEvent[] = [];
    for (let node: Node | undefined = this.#first; node; node = node.next) {
      if (node.event) events.push(node.event);
    }
    return events;
  }

  async *from(mark: Position, signal?: AbortSignal): AsyncGenerator<ChatEvent, void> {
    let { node } = mark;
    for (;;) {
      signal?.throwIfAborted();
      if (node.next) {
        node = node.next;
        if (node.event) yield node.event;
      } else if (this.#end?.error) throw this.#end.error;
      else if (this.#end) return;
      else await this.#nextAppend(signal);
    }
  }

  #nextAppend(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
