import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { batchBytesMax, batchPollMsMax, batchPollMsMin } from '../settings/limits.ts';
import type { QueueObjects } from './bucket.ts';

type Options<In> = {
  readonly objects: QueueObjects;
  /** Of the execution. */
  readonly folder: string;
  /** 32 bytes that only the two sides know. */
  readonly key: Buffer;
  readonly side: 'runtime' | 'task';
  readonly receives: z.ZodType<In>;
  /** Ends waiting and sending. */
  readonly signal: AbortSignal;
};

type PendingMessage = {
  readonly text: string;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** Bytes around the messages of a batch: JSON brackets, and nonce and tag. */
const brackets = 2;
const nonceBytes = 12;
const headerBytes = nonceBytes + 16;

/**
 * A message queue between two sides that can reach the same bucket but not each other. Each side writes numbered
 * batches in order and polls for the next batch of the other side. A batch is encrypted together with its direction
 * and number, so none can be forged, changed, swapped or replayed. Messages sent while a batch is being written go
 * into the next one. After a batch could not be written, no more are written: the other side never reads past a gap.
 */
export class S3Queue<Out, In> {
  readonly #options: Options<In>;
  #pending: PendingMessage[] = [];
  #sending = false;
  #sent = 0;
  #broken: { readonly cause: unknown } | undefined;

  constructor(options: Options<In>) {
    this.#options = options;
  }

  /** Resolves when the message is in the bucket, which limits fast senders. Fault `EXEC_FAILED` if it is too large for a batch. */
  async send(message: Out): Promise<void> {
    const text = JSON.stringify(message);
    const bytes = Buffer.byteLength(text) + brackets;
    if (bytes > batchBytesMax) throw new Fault('EXEC_FAILED', { because: 'too large', bytes });
    const stored = new Promise<void>((resolve, reject) => {
      this.#pending.push({ text, bytes, resolve, reject });
    });
    if (!this.#sending) void this.#flush();
    await stored;
  }

  /** Messages in order, until the signal. Fault `EXEC_PROTOCOL` for a batch that the other side did not write. */
  async *receive(): AsyncGenerator<In> {
    const { side, receives } = this.#options;
    const from = side === 'runtime' ? 'task' : 'runtime';
    for (let number = 1; ; number += 1) {
      const batch = await this.#next(nameOf(from, number));
      if (batch === undefined) return;
      const text = this.#unseal(batch, nameOf(from, number));
      const parsed = z.array(receives).safeParse(JSON.parse(text));
      if (!parsed.success) throw new Fault('EXEC_PROTOCOL', { because: 'a batch of another form' });
      yield* parsed.data;
    }
  }

  async #flush(): Promise<void> {
    this.#sending = true;
    while (this.#pending.length > 0) await this.#write(this.#batch());
    this.#sending = false;
  }

  async #write(batch: readonly PendingMessage[]): Promise<void> {
    const { objects, folder, side, signal } = this.#options;
    try {
      signal.throwIfAborted();
      if (this.#broken) throw this.#broken.cause;
      this.#sent += 1;
      const name = nameOf(side, this.#sent);
      const body = this.#seal(`[${batch.map(({ text }) => text).join(',')}]`, name);
      const sha256 = createHash('sha256').update(body).digest('hex');
      await objects.put(`${folder}/${name}`, body, { sha256, signal });
      for (const { resolve } of batch) resolve();
    } catch (error) {
      this.#broken ??= { cause: error };
      for (const { reject } of batch) reject(error);
    }
  }

  #batch(): readonly PendingMessage[] {
    let size = 0;
    const end = this.#pending.findIndex(({ bytes }) => {
      size += bytes;
      return size > batchBytesMax;
    });
    return this.#pending.splice(0, end < 0 ? this.#pending.length : end);
  }

  async #next(name: string): Promise<Buffer | undefined> {
    const { objects, folder, signal } = this.#options;
    try {
      for (let ms = batchPollMsMin; ; ms = Math.min(batchPollMsMax, ms * 1.5)) {
        const found = await objects.get(`${folder}/${name}`, { signal });
        if (found) return await readBatch(found);
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

  #unseal(batch: Buffer, name: string): string {
    try {
      const { key } = this.#options;
      const opened = createDecipheriv('aes-256-gcm', key, batch.subarray(0, nonceBytes), {
        authTagLength: headerBytes - nonceBytes,
      })
        .setAAD(Buffer.from(name))
        .setAuthTag(batch.subarray(nonceBytes, headerBytes));
      return Buffer.concat([opened.update(batch.subarray(headerBytes)), opened.final()]).toString(
        'utf8',
      );
    } catch (cause) {
      throw new Fault(
        'EXEC_PROTOCOL',
        { because: 'a message batch cannot be decrypted' },
        { cause },
      );
    }
  }
}

/** A batch above the size limit is not read at all. */
async function readBatch({
  size,
  stream,
}: {
  size: number;
  stream: AsyncIterable<Uint8Array>;
}): Promise<Buffer> {
  if (size > batchBytesMax + headerBytes)
    throw new Fault('EXEC_PROTOCOL', { because: 'a message batch is too large', size });
  const batch = await buffer(stream);
  if (batch.byteLength === size) return batch;
  throw new Fault('EXEC_PROTOCOL', {
    because: 'a message batch does not have its stated size',
    size,
  });
}

function nameOf(side: 'runtime' | 'task', number: number): string {
  return `from-${side}/${String(number).padStart(8, '0')}`;
}
