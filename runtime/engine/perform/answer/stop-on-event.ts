import { isAborted, Work } from '../../../base/signal.ts';
import type { Seq } from '../../../timeline/ids.ts';
import type { WorkerSession } from '../../session/session.ts';

/**
 * Stops a generation once the log has an event that it has not seen: its answer would be incomplete. If the bus loses
 * the notification, the event is seen when the turn closes.
 */
export class StopOnEvent implements Disposable {
  readonly #session: WorkerSession;
  readonly #work: Work;
  readonly #checks: Work;
  readonly #asOf: Seq;
  readonly #subscription: Disposable;
  #checking: Promise<void>;

  constructor(session: WorkerSession, { work, asOf }: { work: Work; asOf: Seq }) {
    this.#session = session;
    this.#work = work;
    this.#asOf = asOf;
    this.#checks = new Work(work.signal);
    const { key } = session.conversation.lease.row;
    this.#subscription = session.engine.bus.subscribe(key, (note) => {
      if (note.kind === 'head' && note.head > this.#asOf) this.#checkNext();
    });
    // An event may have arrived before this subscription.
    this.#checking = this.#check();
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.#checks.stop('shutdown');
    this.#checks[Symbol.dispose]();
  }

  #checkNext(): void {
    this.#checking = this.#checking.then(() => this.#check());
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    const { engine, conversation } = this.#session;
    const { signal } = this.#checks;
    if (isAborted(signal)) return;
    try {
      const { key } = conversation.lease.row;
      const range = { after: this.#asOf, limit: eventsCheckedMax, signal };
      const blocks = await engine.store.read(key, range);
      const isEvent = ({ type, author }: { type: string; author: string }) =>
        (author === 'user' || author === 'world') && /^(user|external)\./.test(type);
      if (blocks.some(isEvent)) this.#work.stop('steer');
    } catch (error) {
      if (isAborted(signal)) return;
      engine.log.warn('new events could not be read', {
        conversation: conversation.lease.row.id,
        error,
      });
    }
  }
}

const eventsCheckedMax = 50;
