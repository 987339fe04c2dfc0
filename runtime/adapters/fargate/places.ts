import { listedMax } from './limits.ts';

type Waits = { readonly signal: AbortSignal };

/** Objects below one prefix of a bucket, as far as an execution needs them. */
export interface Objects {
  put(key: string, body: Uint8Array, options: Waits & { sha256: string }): Promise<void>;
  /** Undefined: there is none. */
  get(key: string, options: Waits): Promise<{ stream: AsyncIterable<Uint8Array> } | undefined>;
  remove(key: string): Promise<void>;
  /** Up to `listedMax` names beneath a folder; `folders` of them, or every `key`. */
  list(
    folder: string,
    options: Waits & { max: number; depth: 'folders' | 'keys' },
  ): Promise<readonly string[]>;
}

/** Folder of one execution. Its deadline is in its name, so that a reaper needs nothing else. */
export function folderOf(cell: string, deadlineMs: number): string {
  return `executions/${Math.ceil(deadlineMs)}.${cell}`;
}

/** Undefined: nobody's folder of an execution. */
export function deadlineOf(folder: string): number | undefined {
  const [, ms] = /^executions\/(\d{1,15})\.cell-[0-9a-f]+$/.exec(folder) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Every object beneath a folder of ours. */
export async function emptied(folder: string, bucket: Objects): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    const keys = await bucket.list(folder, { max: listedMax, depth: 'keys', signal });
    if (keys.length === 0) return;
    await Promise.all(keys.map((key) => bucket.remove(key)));
  }
}
