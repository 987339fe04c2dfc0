import { splitFrame } from '../protocol/frame.ts';
import { longFrameBytes, longLineBytes, sliceBytes } from '../protocol/limits.ts';
import { type Outline, OutlineWalk } from '../protocol/outline.ts';

export function isLongFrame(frame: Buffer): boolean {
  if (frame.length < longLineBytes) return false;
  return frame.length >= longFrameBytes || splitFrame(frame).line.length >= longLineBytes;
}

/** Ends with a fresh tick of the event loop for the next step with the frame, so that several programs block the loop no longer than one. */
export async function outlineInSlices(frame: Buffer): Promise<Outline | undefined> {
  const walk = new OutlineWalk(splitFrame(frame).line);
  while (!walk.isOver) {
    await nextSlice();
    walk.advance(sliceBytes);
  }
  await nextSlice();
  return walk.outline;
}

/** The last waiting slice. A process has one event loop, and so one queue. */
let last: Promise<void> = Promise.resolve();

/** One waiting caller continues in each tick of the event loop. */
function nextSlice(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}
