import type { Frame } from '../../engine/ports/bus.ts';
import { compareFrames } from './cursor.ts';
import { feedFramesMax } from './limits.ts';

/**
 * Frames waiting for one subscriber, in order. When more come than it may keep, it stops taking them: the bus's own
 * buffer has them, and is read again once what was kept has been told.
 */
export class FrameQueue {
  #frames: Frame[] = [];
  /** There are frames in the buffer that are not here. */
  #isStale = true;

  get needsRefill(): boolean {
    return this.#isStale && this.#frames.length === 0;
  }

  push(frame: Frame): void {
    if (this.#frames.length >= feedFramesMax) this.#isStale = true;
    if (!this.#isStale) this.#frames.push(frame);
  }

  /** The next frame that comes after a block up to `seq`, taken out. */
  take(seq: number): Frame | undefined {
    const [next] = this.#frames;
    return next && next.after <= seq ? this.#frames.shift() : undefined;
  }

  /** From here on frames are taken again; what the buffer holds joins what comes meanwhile. */
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
