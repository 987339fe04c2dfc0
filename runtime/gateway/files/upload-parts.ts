import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';

/** Bytes of a file, from `start` (inclusive) to `end` (exclusive). */
export type Span = { readonly key: string; readonly start: number; readonly end: number };

/**
 * The bytes of unfinished uploads, in parts that know their position. Any process may add a part, twice or over another
 * one: an interrupted request and its retry may both still write. The bytes that are contiguous from 0 on count.
 */
export class UploadParts {
  readonly #storage: KeyValueStore;

  constructor(storage: KeyValueStore) {
    this.#storage = storage;
  }

  async add(
    space: string,
    at: { upload: string; start: number; bytes: Uint8Array; ttlMs: number },
  ): Promise<void> {
    const { upload, start, bytes, ttlMs } = at;
    const key = `${prefixOf(upload)}${padded(start)}-${padded(start + bytes.byteLength)}`;
    await this.#storage.set(space, key, { value: Buffer.from(bytes).toString('base64'), ttlMs });
  }

  /** The number of contiguous bytes from 0 on. */
  async extent(space: string, upload: string): Promise<number> {
    return (await this.#chain(space, upload)).at(-1)?.end ?? 0;
  }

  async *read(space: string, upload: string): AsyncGenerator<Uint8Array, void> {
    let at = 0;
    for (const { key, start, end } of await this.#chain(space, upload)) {
      const text = await this.#storage.get(space, key);
      if (typeof text !== 'string') break;
      yield Buffer.from(text, 'base64').subarray(at - start);
      at = end;
    }
  }

  async remove(space: string, upload: string): Promise<void> {
    const keys: string[] = [];
    for await (const key of this.#storage.keys(space, prefixOf(upload))) keys.push(key);
    for (const key of keys) await this.#storage.delete(space, key);
  }

  async #chain(space: string, upload: string): Promise<readonly Span[]> {
    const spans: Span[] = [];
    const prefix = prefixOf(upload);
    for await (const key of this.#storage.keys(space, prefix)) {
      const [start = 0, end = 0] = key.slice(prefix.length).split('-').map(Number);
      spans.push({ key, start, end });
    }
    return chainOf(spans);
  }
}

/** The spans that are contiguous from 0 on, each reaching further than the one before it. */
export function chainOf(spans: readonly Span[]): readonly Span[] {
  const chain: Span[] = [];
  let at = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.start > at) break;
    if (span.end <= at) continue;
    chain.push(span);
    at = span.end;
  }
  return chain;
}

function prefixOf(upload: string): string {
  return `part/${upload}/`;
}

/** Padded so that keys sort by position. */
function padded(place: number): string {
  return String(place).padStart(12, '0');
}
