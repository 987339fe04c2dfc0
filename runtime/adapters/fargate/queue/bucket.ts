import { listedMax } from '../settings/limits.ts';
import { secretPrefix } from '../settings/settings.ts';

type Waits = { readonly signal: AbortSignal };

/** The operations on objects below one prefix of a bucket that an execution needs. */
export interface BucketObjects {
  put(key: string, body: Uint8Array, options: Waits & { sha256: string }): Promise<void>;
  /** Undefined if there is no such object. `size` is in bytes. */
  get(
    key: string,
    options: Waits,
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> } | undefined>;
  remove(key: string): Promise<void>;
  /** Up to `max` keys in a folder, sorted, starting after `after`. */
  list(
    folder: string,
    options: Waits & { max: number; depth: 'keys'; after?: string | undefined },
  ): Promise<readonly string[]>;
}

/** All that the message queue needs. */
export type QueueObjects = Pick<BucketObjects, 'put' | 'get'>;

/** The folder for messages and snapshots of one execution. Its name cannot be guessed, and a task may not list objects. */
export function folderOf(cell: string): string {
  return `executions/${cell}`;
}

/** The secret with the launch payload of one execution. */
export function secretOf(cell: string): string {
  return `${secretPrefix}/${cell}`;
}

/** Every key in a folder, sorted. */
export async function* listKeys(folder: string, bucket: BucketObjects, { signal }: Waits) {
  let after: string | undefined;
  for (;;) {
    const options = { max: listedMax, depth: 'keys', after, signal } as const;
    const keys = await bucket.list(folder, options);
    yield* keys;
    after = keys.at(-1);
    if (keys.length < listedMax) return;
  }
}

/** Removes every object in a folder. */
export async function emptyFolder(folder: string, bucket: BucketObjects): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    const keys = await bucket.list(folder, { max: listedMax, depth: 'keys', signal });
    if (keys.length === 0) return;
    await Promise.all(keys.map((key) => bucket.remove(key)));
  }
}
