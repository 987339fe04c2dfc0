import type { Duplex } from 'node:stream';
import { anonymousBytesMax, anonymousConnectionsMax } from './limits.ts';

/**
 * Connections on which nobody has been identified. There are only so many: one more, and the oldest is closed, so whoever
 * opens them by the thousand closes their own, and a visitor who signs in at once still gets through.
 */
export class AnonymousConnections {
  readonly #connections = new Map<Duplex, () => void>();

  get size(): number {
    return this.#connections.size;
  }

  add(connection: Duplex): void {
    const forget = () => this.delete(connection);
    this.#connections.set(connection, forget);
    connection.once('close', forget);
    const [oldest] = this.#connections.keys();
    if (this.#connections.size > anonymousConnectionsMax) oldest?.destroy();
  }

  /** Closes the connection when it brings more bytes than a handshake has, before it has been identified. */
  meter(connection: Duplex): void {
    const forget = this.#connections.get(connection);
    if (!forget) return;
    let bytes = 0;
    const count = (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > anonymousBytesMax) connection.destroy();
    };
    connection.on('data', count);
    this.#connections.set(connection, () => {
      connection.off('data', count);
      forget();
    });
  }

  /** Somebody has been identified on it. */
  delete(connection: Duplex): void {
    const forget = this.#connections.get(connection);
    if (!this.#connections.delete(connection)) return;
    if (forget) connection.off('close', forget);
    forget?.();
  }
}
