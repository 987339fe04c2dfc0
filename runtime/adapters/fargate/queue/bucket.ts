import { listedMax } from '../settings/limits.ts';
import { secretPrefix } from '../settings/settings.ts';

type Waits = { readonly signal: AbortSignal };

/** Objects below one prefix of a bucket, as far as an execution needs them. */
export interface BucketObjects {
  put(key: string, body: Uint8Array, options: Waits & { sha256: string }): Promise<void>;
  /** Undefined: there is none. `size` in bytes. */
  get(
    key: string,
    options: Waits,
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> } | undefined>;
  remove(key: string): Promise<void>;
  /** Up to `max` keys beneath a folder, in their order, those that come after `after`. */
  list(
    folder: string,
    options: Waits & { max: number; depth: 'keys'; after?: string | undefined },
  ): Promise<readonly string[]>;
}

/** All that letters need. */
export type QueueObjects = Pick<BucketObjects, 'put' | 'get'>;

/** Letters and snapshots of one execution. Its name cannot be guessed, and a task may list nothing. */
export function folderOf(cell: string): string {
  return `executions/${cell}`;
}

/** The secret with the launch payload of one execution. */
export function secretOf(cell: string): string {
  return `${secretPrefix}/${cell}`;
}

/** Every key beneath a folder, in their order. */
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

/** Every object beneath a folder of ours. */
export async function emptyFolder(folder: string, bucket: BucketObjects): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    const keys = await bucket.list(folder, { max: listedMax, depth: 'keys', signal });
    if (keys.length === 0) return;
    await Promise.all(keys.map((key) => bucket.remove(key)));
  }
}
