import { type Duplex, finished } from 'node:stream';
import { FrameDecoder } from './protocol/frame.ts';

/**
 * The reading half of a frame stream, until it ends: `take` has each message in the tick in which it
 * came, and nothing more is read while what it returns is pending. Rejects with what it throws, and
 * as a stream does that is cut off.
 */
export function readFrames(
  stream: Duplex,
  take: (message: unknown) => Promise<unknown> | undefined,
): Promise<void> {
  const decoder = new FrameDecoder();
  return new Promise((resolve, reject) => {
    const takeAll = (messages: Iterator<unknown>): void => {
      for (let next = messages.next(); !next.done; next = messages.next()) {
        // Nobody is there any more for whom it could be done.
        if (stream.destroyed) return;
        const busy = take(next.value);
        if (busy === undefined) continue;
        stream.pause();
        busy.then(() => takeAll(messages)).catch(reject);
        return;
      }
      if (stream.isPaused()) stream.resume();
    };
    stream.on('data', (chunk: Uint8Array) => {
      try {
        takeAll(decoder.push(chunk));
      } catch (error) {
        reject(error);
      }
    });
    finished(stream, { writable: false }, (error) => (error ? reject(error) : resolve()));
  });
}
