import type { Refusal } from '../../base/refusal.ts';
import type { ChatEvent } from '../api/types.ts';
import { eventsKeptMax } from '../protocol/limits.ts';
import { isClientClosed } from '../transport/client-closed.ts';

type Node = { readonly event: ChatEvent | undefined; next: Node | undefined };
type End = { readonly error: Refusal | undefined };

/** A place in the log, before the events that follow it. Holding one keeps those events. */
export type Position = { readonly node: Node };

/**
 * What a conversation has told so far and will tell, for any number of listeners that begin wherever they like.
 *
 * A chain, not a list: a slow listener holds on to its own place, and what nobody holds and is no longer kept is gone.
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

  /** Nothing more will come: listeners get what there is, then the error. Without one, or of a closed client, they are at their end. */
  close(error?: Refusal): void {
    this.#end ??= { error: error && isClientClosed(error) ? undefined : error };
    this.#wake();
  }

  /** Right after the event with this cursor; undefined when it is not here. */
  after(cursor: string): Position | undefined {
    for (let node: Node | undefined = this.#first; node; node = node.next) {
      if (node.event?.cursor === cursor) return { node };
    }
    return undefined;
  }

  /** What was told so far, as far as it is kept. */
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
