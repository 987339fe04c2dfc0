import { once } from 'node:events';
import type { Socket } from 'socket.io';
import { packetsWaitingMax } from './limits.ts';

/**
 * Packets that one connection has been given and its transport has not taken yet.
 *
 * The transport takes what waits in one go as soon as the network has swallowed what it had before, so a reader who
 * is slow keeps packets waiting here, and whoever writes can wait with them.
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

  /** Resolves when there is room; rejects with the signal's reason, or when the connection is gone. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#waiting >= packetsWaitingMax) {
      signal.throwIfAborted();
      await once(this.#connection, 'flush', { signal });
    }
  }
}
