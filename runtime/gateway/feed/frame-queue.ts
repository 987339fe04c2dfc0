import type { Frame } from '../../engine/ports/bus.ts';
import { compareFrames } from './cursor.ts';
import { feedFramesMax } from './limits.ts';

/**
 * Frames waiting for one subscriber, in order. When the queue is full it stops accepting frames: they are in the buffer
 * of the bus, which is read again once the queue is empty.
 */
export class FrameQueue {
  #frames: Frame[] = [];
  /** The buffer of the bus has frames that are not in the queue. */
  #isStale = true;

  get needsRefill(): boolean {
    return this.#isStale && this.#frames.length === 0;
  }

  /** Nothing waits, here or in the buffer of the bus. */
  get isEmpty(): boolean {
    return !this.#isStale && this.#frames.length === 0;
  }

  push(frame: Frame): void {
    if (this.#frames.length >= feedFramesMax) this.#isStale = true;
    if (!this.#isStale) this.#frames.push(frame);
  }

  /** Removes and returns the next frame that follows a block up to `seq`. */
  take(seq: number): Frame | undefined {
    const [next] = this.#frames;
    return next && next.after <= seq ? this.#frames.shift() : undefined;
  }

  /** Accepts frames again, and merges those of the buffer with those that arrive during the read. */
  async refill(read: () => Promise<readonly Frame[]>): Promise<void> {
    this.#isStale = false;
    try {
      const all = [...(await read()), ...this.#frames].sort(compareFrames);
      this.#frames = all.slice(0, feedFramesMax);
      if (all.length > feedFramesMax) this.#isStale = true;
    } catch (error) {
      this.#isStale = true;
      this.#frames = [];
      throw error;
    }
  }
}
