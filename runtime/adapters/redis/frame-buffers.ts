import type { ChainableCommander, Redis } from 'ioredis';
import type { Frame } from '../../engine/ports/bus.ts';
import { parseFrames } from '../../engine/ports/frames.ts';
import type { ConversationKey, Seq } from '../../timeline/ids.ts';
import { Expiries } from './expiries.ts';
import { bufferAgeMsMax, framesMax, readPageMax, readPageMin } from './limits.ts';

/** The frames of each conversation in a capped stream. */
export class FrameBuffers {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #expiries = new Expiries();

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  add(pipeline: ChainableCommander, key: ConversationKey, frames: readonly Frame[]): void {
    if (frames.length === 0) return;
    const buffer = this.#name(key);
    for (const frame of frames) {
      pipeline.xadd(buffer, 'MAXLEN', '~', framesMax, '*', 'f', JSON.stringify([frame]));
    }
    if (this.#expiries.isDue(key)) pipeline.pexpire(buffer, bufferAgeMsMax);
  }

  /**
   * The frames with `after >= from`, newest first. A buffer holds earlier turns as well, and parsing all of it would
   * block the process: pages are read from the end, until one holds only earlier frames. The frames of an owner that was
   * replaced may be among newer ones, but do not fill a page.
   */
  async read(key: ConversationKey, from: Seq): Promise<readonly Frame[]> {
    const frames: Frame[] = [];
    let end = '+';
    let count = readPageMin;
    for (;;) {
      const page = await this.#redis.xrevrange(this.#name(key), end, '-', 'COUNT', count);
      const due = page
        .flatMap(([, fields]) => parseFrames(fields[1] ?? ''))
        .filter(({ after }) => after >= from);
      frames.push(...due);
      const [first] = page.at(-1) ?? [];
      if (first === undefined || page.length < count || due.length === 0) return frames;
      end = `(${first}`;
      count = Math.min(count * 2, readPageMax);
    }
  }

  async remove(key: ConversationKey): Promise<void> {
    this.#expiries.forget(key);
    await this.#redis.del(this.#name(key));
  }

  /** The buffers may be gone: Redis has failed. */
  renewExpiries(): void {
    this.#expiries.forget();
  }

  #name(key: ConversationKey): string {
    return `${this.#prefix}:frames:${key}`;
  }
}
