import { Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { invariant } from '../../base/assert.ts';
import { streamReadBytes } from './limits.ts';

/**
 * Returns the same stream with one reused read buffer. Node reads each 64 kB of a child's stream into fresh memory, which
 * costs more than the bytes themselves. An emitted chunk is valid until the listener returns, or as long as it has paused
 * the stream; bytes without a listener are copied. This call ends the child's own stream and must come before its first read.
 */
export function readInPlace(stream: Duplex): Duplex {
  const handle: unknown = Reflect.get(stream, '_handle');
  // Private to Node, and only an optimisation: without it, use the stream as it is.
  if (!(stream instanceof Socket) || typeof handle !== 'object' || handle === null) return stream;
  invariant(stream.readableLength === 0, 'nothing was read from the stream before');
  const onread = {
    buffer: Buffer.allocUnsafe(streamReadBytes),
    callback: (count: number, memory: Uint8Array): boolean => {
      const chunk = memory.subarray(0, count);
      const isHeard = socket.readableFlowing === true && socket.readableLength === 0;
      if (!isHeard) return socket.push(Buffer.from(chunk));
      // Emitted, not pushed: a stream that gets data by push reads ahead even while it is paused.
      socket.emit('data', chunk);
      return !socket.isPaused();
    },
  };
  const options: SocketConstructorOpts = { onread, readable: true };
  Reflect.set(options, 'handle', handle);
  Reflect.set(stream, '_handle', null);
  const socket = new Socket(options);
  stream.destroy();
  return socket;
}
