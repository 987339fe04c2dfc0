import { Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { invariant } from '../../base/assert.ts';
import { streamReadBytes } from './limits.ts';

/**
 * The same stream, read into one piece of memory again and again: Node reads each 64 kB of a child's stream into memory
 * that nobody has touched before, which costs more than the bytes. What is emitted holds until the listener returns, or
 * as long as it has paused the stream; what nobody listens to yet is copied. The child's own stream ends with this call,
 * which must come before it could read anything.
 */
export function readInPlace(stream: Duplex): Duplex {
  const handle: unknown = Reflect.get(stream, '_handle');
  // Private to Node, and only quicker: without it the stream does.
  if (!(stream instanceof Socket) || typeof handle !== 'object' || handle === null) return stream;
  invariant(stream.readableLength === 0, 'nothing was read from the stream before');
  const onread = {
    buffer: Buffer.allocUnsafe(streamReadBytes),
    callback: (count: number, memory: Uint8Array): boolean => {
      const chunk = memory.subarray(0, count);
      const isHeard = socket.readableFlowing === true && socket.readableLength === 0;
      if (!isHeard) return socket.push(Buffer.from(chunk));
      // Not pushed: a stream that was given something reads ahead, also while it is paused.
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
