import { type Duplex, finished } from 'node:stream';
import { FrameCutter } from '../protocol/frame.ts';

type FrameHandler = (frame: Buffer) => Promise<unknown> | undefined;

/**
 * Reads frames from a stream until it ends. `take` gets each frame in the tick in which it arrived;
 * reading pauses while the promise that it returns is pending. Rejects with the error of `take` or of
 * the stream.
 */
export function readFrames(stream: Duplex, take: FrameHandler): Promise<void> {
  const decoder = new FrameCutter();
  return new Promise((resolve, reject) => {
    const takeAll = (frames: Iterator<Buffer>): void => {
      const busy = takeUntilBusy(frames, { stream, take });
      if (busy === undefined) {
        if (stream.isPaused()) stream.resume();
        return;
      }
      stream.pause();
      busy.then(() => takeAll(frames)).catch(reject);
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

/** What to await before the next frame; undefined: there are no more frames, or the stream was destroyed. */
function takeUntilBusy(
  frames: Iterator<Buffer>,
  { stream, take }: { stream: Duplex; take: FrameHandler },
): Promise<unknown> | undefined {
  for (let next = frames.next(); !next.done; next = frames.next()) {
    if (stream.destroyed) return undefined;
    const busy = take(next.value);
    if (busy !== undefined) return busy;
  }
  return undefined;
}
