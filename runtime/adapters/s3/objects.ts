import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Fault } from '../../base/fault.ts';
import {
  attemptsMax,
  connectMsMax,
  partsInFlightMax,
  silenceMsMax,
  wholeBytesMax,
} from './limits.ts';

type Waits = { readonly signal: AbortSignal };
type Page = { readonly max: number; readonly after?: string | undefined };
type S3Entry = { readonly key: string; readonly putAtMs: number };
type Range = { readonly start: number; readonly end: number };

export type S3Location = {
  readonly bucket: string;
  /** Prefix of every key, without leading or trailing slash; may be empty. */
  readonly prefix: string;
  /** Address of an S3-compatible service, which has its buckets in the path. AWS if absent. */
  readonly endpoint?: string | undefined;
};

/** Objects of one bucket below one prefix. Errors of the service are Fault `BLOBS_UNAVAILABLE`. */
export class S3Objects {
  readonly #client: S3Client;
  readonly #place: S3Location;

  constructor(place: S3Location, client = clientOf(place)) {
    this.#place = place;
    this.#client = client;
  }

  /** The objects of a folder, over the same connections. */
  below(folder: string): S3Objects {
    const { Key } = this.#at(folder);
    return new S3Objects({ ...this.#place, prefix: Key }, this.#client);
  }

  /** Also Fault `CONFIG_INVALID` if no region is set. */
  async check({ signal }: Waits): Promise<void> {
    const { bucket: Bucket } = this.#place;
    try {
      await this.#client.config.region();
    } catch (cause) {
      const because = `s3://${Bucket}: no AWS region is configured; set AWS_REGION`;
      throw new Fault('CONFIG_INVALID', { because }, { cause });
    }
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket }), abort(signal));
    } catch (cause) {
      signal.throwIfAborted();
      // No byte source is involved, so any error comes from the service or the client, such as missing credentials.
      throw this.#unavailable(cause);
    }
  }

  /** `sha256` in hex: the service rejects bytes with another hash. */
  async put(key: string, body: Uint8Array, { sha256, signal }: Waits & { sha256: string }) {
    const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
    const request = { ...this.#at(key), Body: body, ChecksumSHA256 };
    await this.#ask(() => this.#client.send(new PutObjectCommand(request), abort(signal)), signal);
  }

  /** Uploads in parts, each as soon as it is full. A failed upload leaves no parts; an error of the source is rethrown. */
  async upload(key: string, body: Readable, { signal }: Waits): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: body },
      partSize: wholeBytesMax,
      queueSize: partsInFlightMax,
    });
    const stop = () => void upload.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.#ask(() => upload.done(), signal);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async move(from: string, to: string, { signal }: Waits): Promise<void> {
    const source = this.#at(from);
    const CopySource = `${source.Bucket}/${encodeURIComponent(source.Key)}`;
    const request = { ...this.#at(to), CopySource };
    await this.#ask(() => this.#client.send(new CopyObjectCommand(request), abort(signal)), signal);
    await this.remove(from);
  }

  async remove(key: string): Promise<void> {
    await this.#ask(() => this.#client.send(new DeleteObjectCommand(this.#at(key))));
  }

  /** Undefined: there is none. */
  async size(key: string, { signal }: Waits): Promise<number | undefined> {
    return this.#orAbsent(signal, async () => {
      const head = await this.#client.send(new HeadObjectCommand(this.#at(key)), abort(signal));
      return head.ContentLength ?? 0;
    });
  }

  /** When it was put, in milliseconds since 1970, to the second. Undefined if the object does not exist. */
  async putAt(key: string, { signal }: Waits): Promise<number | undefined> {
    return this.#orAbsent(signal, async () => {
      const head = await this.#client.send(new HeadObjectCommand(this.#at(key)), abort(signal));
      return head.LastModified?.getTime() ?? 0;
    });
  }

  /** Undefined if the object does not exist. `range` must not be empty. */
  async get(key: string, { signal, range }: Waits & { range?: Range | undefined }) {
    return this.#orAbsent(signal, async () => {
      const Range = range && `bytes=${range.start}-${range.end - 1}`;
      const request = { ...this.#at(key), ...(Range === undefined ? {} : { Range }) };
      const { Body, ContentLength = 0 } = await this.#client.send(
        new GetObjectCommand(request),
        abort(signal),
      );
      const stream = Body?.transformToWebStream() ?? new ReadableStream<Uint8Array>();
      return { size: ContentLength, stream: this.#reading(stream, signal) };
    });
  }

  /** A connection may break in the middle of an answer. */
  async *#reading(
    stream: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    try {
      yield* stream;
    } catch (cause) {
      signal.throwIfAborted();
      throw this.#unavailable(cause);
    }
  }

  /** Up to `max` names in a folder, sorted, starting after `after`: every key below it, or the folders directly in it. */
  async list(
    folder: string,
    { depth, ...page }: Waits & Page & { readonly depth: 'folders' | 'keys' },
  ): Promise<readonly string[]> {
    if (depth === 'keys') return (await this.entries(folder, page)).entries.map(({ key }) => key);
    const { CommonPrefixes = [] } = await this.#listed(folder, { ...page, Delimiter: '/' });
    return CommonPrefixes.map(({ Prefix = '' }) => this.#withoutPrefix(Prefix.replace(/\/$/, '')));
  }

  /** Up to `max` objects below a folder, sorted, starting after `after`, with the time of their last put, to the second. */
  async entries(
    folder: string,
    page: Waits & Page,
  ): Promise<{ readonly entries: readonly S3Entry[]; readonly isLast: boolean }> {
    const { Contents = [], IsTruncated = false } = await this.#listed(folder, page);
    const entries = Contents.map(({ Key = '', LastModified }): S3Entry => {
      return { key: this.#withoutPrefix(Key), putAtMs: LastModified?.getTime() ?? Infinity };
    });
    return { entries, isLast: !IsTruncated };
  }

  async #listed(
    folder: string,
    { max: MaxKeys, after, signal, Delimiter }: Waits & Page & { readonly Delimiter?: string },
  ) {
    const { Bucket, Key: Prefix } = this.#at(`${folder}/`);
    const StartAfter = after === undefined ? undefined : this.#at(after).Key;
    const request = { Bucket, Prefix, MaxKeys, StartAfter, Delimiter };
    const command = new ListObjectsV2Command(request);
    return await this.#ask(() => this.#client.send(command, abort(signal)), signal);
  }

  #withoutPrefix(key: string): string {
    const { prefix } = this.#place;
    return prefix === '' ? key : key.slice(prefix.length + 1);
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#place;
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` };
  }

  async #orAbsent<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
    return this.#ask(async () => {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof NoSuchKey || error instanceof NotFound) return undefined;
        throw error;
      }
    }, signal);
  }

  async #ask<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      signal?.throwIfAborted();
      if (!isOfTheService(cause)) throw cause;
      throw this.#unavailable(cause);
    }
  }

  #unavailable(cause: unknown): Fault {
    const said = cause instanceof Error ? `${cause.name} ${cause.message}` : String(cause);
    const because = `s3://${this.#place.bucket}: ${said}`.trim();
    return new Fault('BLOBS_UNAVAILABLE', { because }, { cause });
  }
}

function clientOf({ endpoint }: S3Location): S3Client {
  return new S3Client({
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectMsMax, socketTimeout: silenceMsMax },
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  });
}

function abort(abortSignal: AbortSignal) {
  return { abortSignal };
}

/** Whether the error comes from the service or the connection to it, and not from the byte source. */
function isOfTheService(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return '$metadata' in error || ('code' in error && 'syscall' in error);
}
