import type { EventEmitter } from 'node:events';
import { untilAborted } from '../../base/signal.ts';
import { packetsWaitingMax } from './limits.ts';

/**
 * Packets queued for one connection that its transport has not sent yet. The transport takes the whole queue once the
 * network has accepted the previous data, so a slow reader keeps packets waiting here, and writers can wait with them.
 */
export class SendBacklog {
  #waiting = 0;
  /** All conversations of the connection wait for the same flush. Undefined: none waits. */
  #flush: { readonly done: Promise<void>; readonly end: () => void } | undefined;

  constructor(connection: Pick<EventEmitter, 'on'>) {
    connection.on('packetCreate', () => {
      this.#waiting += 1;
    });
    connection.on('flush', () => {
      this.#waiting = 0;
      this.#flush?.end();
      this.#flush = undefined;
    });
  }

  get hasRoom(): boolean {
    return this.#waiting < packetsWaitingMax;
  }

  /** Resolves when there is room; rejects with the reason of the signal. */
  async room(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom) {
      this.#flush ??= openWait();
      await untilAborted(this.#flush.done, signal);
    }
  }
}

function openWait() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end };
}
