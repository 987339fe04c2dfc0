import type { Duplex } from 'node:stream';
import { anonymousBytesMax, anonymousConnectionsMax } from './limits.ts';

/**
 * Unauthenticated connections. Their number is limited: one more, and the oldest is closed. A client that opens
 * thousands of connections closes its own, and a client that authenticates at once still gets through.
 */
export class AnonymousConnections {
  readonly #connections = new Map<Duplex, () => void>();

  get size(): number {
    return this.#connections.size;
  }

  add(connection: Duplex): void {
    if (this.#connections.has(connection)) return;
    const forget = () => this.delete(connection);
    this.#connections.set(connection, forget);
    connection.once('close', forget);
    const [oldest] = this.#connections.keys();
    if (this.#connections.size > anonymousConnectionsMax) oldest?.destroy();
  }

  /** Closes the connection if it sends more bytes than a handshake has before it is authenticated. */
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

  /** The connection is authenticated. */
  delete(connection: Duplex): void {
    const forget = this.#connections.get(connection);
    if (!this.#connections.delete(connection)) return;
    if (forget) connection.off('close', forget);
    forget?.();
  }
}
