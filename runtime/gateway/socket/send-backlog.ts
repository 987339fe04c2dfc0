import { once } from 'node:events';
import type { Socket } from 'socket.io';
import type { Clock } from '../../base/clock.ts';
import type { Bus, Owner } from '../../engine/ports/bus.ts';
import { listChangeMs, packetsWaitingMax } from './limits.ts';

/**
 * Packets queued for one connection that its transport has not sent yet. The transport takes the whole queue once the
 * network has accepted the previous data, so a slow reader keeps packets waiting here, and writers can wait with them.
 */
export class SendBacklog {
  readonly #connection: Socket['conn'];
  #waiting = 0;

  constructor(connection: Socket['conn']) {
    this.#connection = connection;
    connection.on('packetCreate', () => {
      this.#waiting += 1;
    });
    connection.on('flush', () => {
      this.#waiting = 0;
    });
  }

  /** Resolves when there is room; rejects with the reason of the signal, or when the connection is closed. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#waiting >= packetsWaitingMax) {
      signal.throwIfAborted();
      await once(this.#connection, 'flush', { signal });
    }
  }
}

/** Tells a client that its user's list of conversations has changed: at once, then at most once per interval. */
export class ListChanges implements Disposable {
  readonly #clock: Clock;
  readonly #tell: () => void;
  readonly #stop = new AbortController();
  readonly #listening: Disposable;
  #isPausing = false;
  #isChanged = false;

  constructor(
    { bus, clock }: { bus: Bus; clock: Clock },
    { owner, tell }: { owner: Owner; tell: () => void },
  ) {
    this.#clock = clock;
    this.#tell = tell;
    this.#listening = bus.onTouch(owner, () => this.#changed());
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#listening[Symbol.dispose]();
  }

  #changed(): void {
    this.#isChanged = true;
    if (this.#isPausing) return;
    this.#isPausing = true;
    this.#tellSlowly()
      .catch((reason: unknown) => {
        if (!this.#stop.signal.aborted) throw reason;
      })
      .finally(() => {
        this.#isPausing = false;
      });
  }

  async #tellSlowly(): Promise<void> {
    while (this.#isChanged) {
      this.#isChanged = false;
      this.#tell();
      await this.#clock.sleep(listChangeMs, { signal: this.#stop.signal });
    }
  }
}
