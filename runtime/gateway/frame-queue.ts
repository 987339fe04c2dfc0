import type { Frame } from '../engine/ports/bus.ts';
import { compareFrames } from './cursor.ts';
import { feedFramesMax } from './limits.ts';

/**
 * Frames waiting for one subscriber, in order. When more come than it may keep, all are let go: the bus's own buffer
 * has them, and `isSpilled` says that it must be read.
 */
export class FrameQueue {
  #frames: Frame[] = [];
  #isSpilled = true;

  get isSpilled(): boolean {
    return this.#isSpilled;
  }

  push(frame: Frame): void {
    if (this.#isSpilled) return;
    this.#frames.push(frame);
    if (this.#frames.length > feedFramesMax) this.#spill();
  }

  /** The next frame that comes after a block up to `seq`, taken out. */
  take(seq: number): Frame | undefined {
    const [next] = this.#frames;
    return next && next.after <= seq ? this.#frames.shift() : undefined;
  }

  /** From here on frames are kept again; what the buffer held joins what has come meanwhile. */
  async refill(read: () => Promise<readonly Frame[]>): Promise<void> {
    this.#isSpilled = false;
    try {
      const buffered = await read();
      if (!this.#spilledMeanwhile())
        this.#frames = [...buffered, ...this.#frames].sort(compareFrames);
    } catch (error) {
      this.#spill();
      throw error;
    }
  }

  #spilledMeanwhile(): boolean {
    return this.#isSpilled;
  }

  #spill(): void {
    this.#frames = [];
    this.#isSpilled = true;
  }
}
