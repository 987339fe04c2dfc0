import { readBytes, readStart } from '../../base/bytes/read-bytes.ts';

/** The bytes of a file, which can be read more than once: from memory, or from the storage of an upload. */
export type Content = {
  readonly size: number;
  /** All bytes, if they are already in memory. */
  readonly bytes?: Uint8Array;
  read(): AsyncIterable<Uint8Array>;
};

export function contentOf(bytes: Uint8Array): Content {
  return {
    size: bytes.byteLength,
    bytes,
    async *read() {
      yield bytes;
    },
  };
}

export async function bytesOf({ bytes, read, size }: Content): Promise<Uint8Array> {
  return bytes ?? (await readBytes(read(), { bytesMax: size, what: 'the file' }));
}

/** The first `count` bytes, or fewer if the file is shorter. */
export async function headOf({ bytes, read }: Content, count: number): Promise<Uint8Array> {
  return bytes ? bytes.subarray(0, count) : await readStart(read(), { bytesMax: count });
}
