import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { letterBytesMax, letterMsMax, letterMsMin } from '../settings/limits.ts';
import type { Letterbox } from './bucket.ts';

type Options<In> = {
  readonly objects: Letterbox;
  /** Of the execution. */
  readonly folder: string;
  /** 32 bytes that both sides and nobody else have. */
  readonly key: Buffer;
  readonly side: 'runtime' | 'task';
  readonly receives: z.ZodType<In>;
  /** Ends waiting and sending. */
  readonly signal: AbortSignal;
};

type Waiting = {
  readonly text: string;
  readonly bytes: number;
  readonly sent: () => void;
  readonly failed: (error: unknown) => void;
};

/** Around a letter's messages, and its nonce and tag. */
const brackets = 2;
const nonceBytes = 12;
const sealBytes = nonceBytes + 16;

/**
 * Two sides that can reach the same bucket, and not each other: each writes letters `<n>` in order and
 * looks for the next one of the other. A letter is sealed with its direction and number, so none can be
 * forged, changed, swapped or sent twice. What is said while one is on its way goes into the next.
 * A letter that could not be written is the last: the other side never reads over a gap.
 */
export class Mailbox<Out, In> {
  readonly #options: Options<In>;
  #pending: Waiting[] = [];
  #sending = false;
  #sent = 0;
  #broken: { readonly cause: unknown } | undefined;

  constructor(options: Options<In>) {
    this.#options = options;
  }

  /** Resolves when it is in the bucket; who has much to say waits for that. Fault `EXEC_FAILED` for what no letter can hold. */
  async send(message: Out): Promise<void> {
    const text = JSON.stringify(message);
    const bytes = Buffer.byteLength(text) + brackets;
    if (bytes > letterBytesMax) throw new Fault('EXEC_FAILED', { because: 'too large', bytes });
    const stored = new Promise<void>((sent, failed) => {
      this.#pending.push({ text, bytes, sent, failed });
    });
    if (!this.#sending) void this.#flush();
    await stored;
  }

  /** In order, until the signal; Fault `EXEC_PROTOCOL` for a letter that is not the other side's. */
  async *received(): AsyncGenerator<In> {
    const { side, receives } = this.#options;
    const from = side === 'runtime' ? 'task' : 'runtime';
    for (let number = 1; ; number += 1) {
      const letter = await this.#next(nameOf(from, number));
      if (letter === undefined) return;
      const text = this.#unseal(letter, nameOf(from, number));
      const parsed = z.array(receives).safeParse(JSON.parse(text));
      if (!parsed.success)
        throw new Fault('EXEC_PROTOCOL', { because: 'a letter of another form' });
      yield* parsed.data;
    }
  }

  async #flush(): Promise<void> {
    this.#sending = true;
    while (this.#pending.length > 0) await this.#write(this.#batch());
    this.#sending = false;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { objects, folder, side, signal } = this.#options;
    try {
      signal.throwIfAborted();
      if (this.#broken) throw this.#broken.cause;
      this.#sent += 1;
      const name = nameOf(side, this.#sent);
      const body = this.#seal(`[${batch.map(({ text }) => text).join(',')}]`, name);
      const sha256 = createHash('sha256').update(body).digest('hex');
      await objects.put(`${folder}/${name}`, body, { sha256, signal });
      for (const { sent } of batch) sent();
    } catch (error) {
      this.#broken ??= { cause: error };
      for (const { failed } of batch) failed(error);
    }
  }

  #batch(): readonly Waiting[] {
    let size = 0;
    const end = this.#pending.findIndex(({ bytes }) => {
      size += bytes;
      return size > letterBytesMax;
    });
    return this.#pending.splice(0, end < 0 ? this.#pending.length : end);
  }

  async #next(name: string): Promise<Buffer | undefined> {
    const { objects, folder, signal } = this.#options;
    try {
      for (let ms = letterMsMin; ; ms = Math.min(letterMsMax, ms * 1.5)) {
        const found = await objects.get(`${folder}/${name}`, { signal });
        if (found) return await whole(found);
        await sleep(ms * (0.75 + Math.random() / 2), undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #seal(text: string, name: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#options.key, nonce).setAAD(
      Buffer.from(name),
    );
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  #unseal(letter: Buffer, name: string): string {
    try {
      const { key } = this.#options;
      const opened = createDecipheriv('aes-256-gcm', key, letter.subarray(0, nonceBytes))
        .setAAD(Buffer.from(name))
        .setAuthTag(letter.subarray(nonceBytes, sealBytes));
      return Buffer.concat([opened.update(letter.subarray(sealBytes)), opened.final()]).toString(
        'utf8',
      );
    } catch (cause) {
      throw new Fault('EXEC_PROTOCOL', { because: 'a letter that is not sealed' }, { cause });
    }
  }
}

/** What is larger than any letter is not read at all. */
async function whole({
  size,
  stream,
}: {
  size: number;
  stream: AsyncIterable<Uint8Array>;
}): Promise<Buffer> {
  if (size > letterBytesMax + sealBytes)
    throw new Fault('EXEC_PROTOCOL', { because: 'a letter too large', size });
  const letter = await buffer(stream);
  if (letter.byteLength === size) return letter;
  throw new Fault('EXEC_PROTOCOL', { because: 'a letter of another size than it has', size });
}

function nameOf(side: 'runtime' | 'task', number: number): string {
  return `from-${side}/${String(number).padStart(8, '0')}`;
}
