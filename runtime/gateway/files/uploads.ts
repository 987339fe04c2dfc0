import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import { uploadsSpace } from '../../sdk/compile/host/spaces.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import type { Content } from '../inspection/content.ts';
import type { Inspector } from '../inspection/inspector.ts';
import type { FileRules } from '../ports/file-rules.ts';
import {
  assertClean,
  attachmentRefused,
  checkFile,
  type HostedFile,
  hostedFile,
  hostFile,
  safeName,
} from './host-file.ts';
import {
  messageBytesMax,
  openUploadsMax,
  uploadPartBytes,
  uploadPartsMax,
  uploadsMax,
  uploadTtlMs,
} from './limits.ts';
import { UploadParts } from './upload-parts.ts';

const openUpload = z.object({
  name: z.string(),
  mime: z.string(),
  size: z.int(),
  sha256: z.string().exactOptional(),
  untilMs: z.number(),
});
export const done = z.object({ file: hostedFile, untilMs: z.number() });

type OpenUpload = z.infer<typeof openUpload>;
export type NewUpload = Omit<OpenUpload, 'untilMs'>;
/** `offset` bytes are stored; when it equals `size`, a message may name the upload. `untilMs` is wall time. */
export type UploadState = {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly offset: number;
  readonly untilMs: number;
};
type UploadContext = { readonly sender: Sender; readonly signal: AbortSignal };
type Parts = {
  readonly storage: KeyValueStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inspector: Inspector;
  readonly files?: FileRules;
};

/**
 * Files that are sent before their message, whole or in pieces. Every process can read the stored bytes, for an hour:
 * after an interruption, any process can continue.
 */
export class Uploads {
  readonly #deps: Parts;
  readonly #parts: UploadParts;

  constructor(deps: Parts) {
    this.#deps = deps;
    this.#parts = new UploadParts(deps.storage);
  }

  /** Refusal `attachment_refused` if it is already clear that the file is not accepted. */
  async create(upload: NewUpload, sender: Sender): Promise<UploadState> {
    const { size, mime } = upload;
    const name = safeName(upload.name);
    const flaw = this.#deps.inspector.checkSize({ name, mime }, size);
    if (flaw) throw attachmentRefused(name, flaw);
    const bytesMax = this.#deps.files?.messageBytes ?? messageBytesMax;
    if (size > bytesMax) {
      const message = `has ${size} bytes; the limit for a message is ${bytesMax}`;
      throw attachmentRefused(name, { reason: 'message_too_large', message });
    }
    const space = uploadsSpace(sender);
    await this.#dropOldest(space);
    const { ids, clock, storage } = this.#deps;
    const id = ids.next('op');
    const untilMs = clock.now() + uploadTtlMs;
    const value = { ...upload, name, untilMs };
    await storage.set(space, `open/${id}`, { value, ttlMs: uploadTtlMs });
    return { id, name, mime, size, offset: 0, untilMs };
  }

  /** Refusal `not_found`: the upload does not exist, has expired, or belongs to another user. */
  async find(id: string, sender: Sender): Promise<UploadState> {
    const space = uploadsSpace(sender);
    const ready = await this.#done(space, id);
    if (ready) {
      const { name, mime, blob } = ready.file;
      const { size } = blob;
      return { id, name, mime, size, offset: size, untilMs: ready.untilMs };
    }
    const open = await this.#open(space, id);
    if (!open) throw uploadNotFound(id);
    const { name, mime, size, untilMs } = open;
    return { id, name, mime, size, untilMs, offset: await this.#parts.extent(space, id) };
  }

  /**
   * Stores the body from `state.offset` on, also if it is interrupted. The last byte completes the file: Refusal
   * `attachment_refused` if it is not accepted; then nothing of it is kept.
   */
  async append(
    state: UploadState,
    body: AsyncIterable<Uint8Array>,
    context: UploadContext,
  ): Promise<UploadState> {
    const { id, size } = state;
    const space = uploadsSpace(context.sender);
    let { offset } = state;
    const partBytes = Math.max(uploadPartBytes, Math.ceil(size / uploadPartsMax));
    for await (const bytes of inChunks(untilClosed(body), partBytes)) {
      if (offset + bytes.byteLength > size) throw tooLarge(state);
      const ttlMs = Math.max(1, state.untilMs - this.#deps.clock.now());
      await this.#parts.add(space, { upload: id, start: offset, bytes, ttlMs });
      offset += bytes.byteLength;
    }
    if (offset === size) await this.take(id, context);
    return { ...state, offset };
  }

  async remove(id: string, sender: Sender): Promise<void> {
    const space = uploadsSpace(sender);
    for (const key of [`open/${id}`, `done/${id}`]) await this.#deps.storage.delete(space, key);
    await this.#parts.remove(space, id);
  }

  /** Stores a file that was sent in one piece and returns its upload id. Refusal `busy`. */
  async keep(file: HostedFile, { sender }: Pick<UploadContext, 'sender'>): Promise<string> {
    const id = this.#deps.ids.next('op');
    await this.#keepAs(id, file, uploadsSpace(sender));
    return id;
  }

  /** Can be called again: a message that is repeated after a lost answer names the same upload. */
  async take(id: string, context: UploadContext): Promise<HostedFile> {
    const space = uploadsSpace(context.sender);
    const ready = await this.#done(space, id);
    if (ready) return ready.file;
    try {
      return await this.#assemble(id, context);
    } catch (error) {
      // Another request may have completed it in between and removed its parts.
      const taken = await this.#done(space, id);
      if (taken) return taken.file;
      throw error;
    }
  }

  async #assemble(id: string, { sender, signal }: UploadContext): Promise<HostedFile> {
    const space = uploadsSpace(sender);
    const open = await this.#open(space, id);
    if (!open) {
      throw attachmentRefused(id, {
        reason: 'upload_not_found',
        message: 'is not a known upload; send the file again',
      });
    }
    const { name, mime, size } = open;
    const received = await this.#parts.extent(space, id);
    if (received < size) throw incomplete(name, { received, size });
    try {
      const content = { size, read: () => this.#read(space, { id, name, size }) };
      await assertDigest(open, content);
      const hosting = { ...this.#deps, sender, signal };
      const checked = await checkFile({ name, mime, content }, hosting);
      await assertClean(checked, hosting);
      const file = await hostFile(checked, hosting);
      await this.#keepAs(id, file, space);
      return file;
    } catch (error) {
      const isFinal = isRefusal(error) && error.code !== 'busy';
      if (isFinal && !(await this.#done(space, id))) await this.remove(id, sender);
      throw error;
    }
  }

  /** Refusal `attachment_refused`: some parts were removed during the read. */
  async *#read(space: string, { id, name, size }: { id: string; name: string; size: number }) {
    let received = 0;
    for await (const piece of this.#parts.read(space, id)) {
      received += piece.byteLength;
      yield piece;
    }
    if (received < size) throw incomplete(name, { received, size });
  }

  async #keepAs(id: string, file: HostedFile, space: string): Promise<void> {
    const { storage, clock } = this.#deps;
    if ((await this.#keys(space, 'done/')).length >= uploadsMax) {
      const message = `too many uploads: ${uploadsMax} wait for their message`;
      throw new Refusal('busy', message, { retryable: true, retryAfterMs: 60_000 });
    }
    const value = { file, untilMs: clock.now() + uploadTtlMs };
    await storage.set(space, `done/${id}`, { value, ttlMs: uploadTtlMs });
    await storage.delete(space, `open/${id}`);
    await this.#parts.remove(space, id);
  }

  /** Abandoned uploads do not block their user. */
  async #dropOldest(space: string): Promise<void> {
    const keys = await this.#keys(space, 'open/');
    if (keys.length < openUploadsMax) return;
    const found = await Promise.all(
      keys.map(async (key) => {
        const id = key.slice('open/'.length);
        return { id, untilMs: (await this.#open(space, id))?.untilMs ?? 0 };
      }),
    );
    const oldest = found.toSorted((a, b) => a.untilMs - b.untilMs);
    for (const { id } of oldest.slice(0, found.length - openUploadsMax + 1)) {
      await this.#deps.storage.delete(space, `open/${id}`);
      await this.#parts.remove(space, id);
    }
  }

  async #keys(space: string, prefix: string): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const key of this.#deps.storage.keys(space, prefix)) keys.push(key);
    return keys;
  }

  async #open(space: string, id: string): Promise<OpenUpload | undefined> {
    const value = await this.#deps.storage.get(space, `open/${id}`);
    return value === undefined ? undefined : openUpload.parse(value);
  }

  async #done(space: string, id: string): Promise<z.infer<typeof done> | undefined> {
    const value = await this.#deps.storage.get(space, `done/${id}`);
    return value === undefined ? undefined : done.parse(value);
  }
}

function incomplete(name: string, { received, size }: { received: number; size: number }): Refusal {
  const message = `is incomplete: ${received} of ${size} bytes arrived`;
  return attachmentRefused(name, { reason: 'upload_incomplete', message });
}

export function uploadNotFound(id: string): Refusal {
  return new Refusal('not_found', `upload ${id} not found; start a new one`);
}

export function tooLarge({ name, size }: UploadState): Refusal {
  return new Refusal('too_large', `${name} has more than the declared ${size} bytes`);
}

async function assertDigest({ name, sha256 }: OpenUpload, content: Content): Promise<void> {
  if (sha256 === undefined) return;
  const hash = createHash('sha256');
  for await (const piece of content.read()) hash.update(piece);
  const found = hash.digest('hex');
  if (found === sha256) return;
  const message = `has the sha256 ${found}, not ${sha256}`;
  throw attachmentRefused(name, { reason: 'digest_mismatch', message });
}

/** Ends quietly if the connection is interrupted: the bytes received so far count. */
async function* untilClosed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch {
    // The connection is closed, so there is no one to report the error to.
  }
}

/** The same bytes in chunks of this size; the last one may be smaller. */
async function* inChunks(
  body: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array, void> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    held.push(piece);
    size += piece.byteLength;
    if (size < bytes) continue;
    let all = Buffer.concat(held);
    for (; all.byteLength >= bytes; all = all.subarray(bytes)) yield all.subarray(0, bytes);
    held = [all];
    size = all.byteLength;
  }
  if (size > 0) yield Buffer.concat(held);
}
