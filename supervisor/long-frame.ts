import { splitFrame } from './protocol/frame.ts';
import { longFrameBytes, longLineBytes, sliceBytes } from './protocol/limits.ts';
import { type Outline, OutlineWalk } from './protocol/outline.ts';

export function isLongFrame(frame: Buffer): boolean {
  if (frame.length < longLineBytes) return false;
  return frame.length >= longFrameBytes || splitFrame(frame).line.length >= longLineBytes;
}

/** Leaves a turn of the event loop to what is done with the frame next: programs side by side block it no longer than one. */
export async function outlineInSlices(frame: Buffer): Promise<Outline | undefined> {
  const walk = new OutlineWalk(splitFrame(frame).line);
  while (!walk.isOver) {
    await nextSlice();
    walk.on(sliceBytes);
  }
  await nextSlice();
  return walk.outline;
}

/** Whoever came last. There is one event loop in a process, and so one queue. */
let last: Promise<void> = Promise.resolve();

/** Of all who ask, one goes on in each turn. */
function nextSlice(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}
