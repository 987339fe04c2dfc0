import { once } from 'node:events';
import type { Socket } from 'socket.io';
import { packetsWaitingMax } from './limits.ts';

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
