import type { Readable, Writable } from 'node:stream';

/** The output of a process as a web stream. Reads no faster than the stream is read. */
export function fromReadable(output: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = output[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      // The process may end at any time; that is reported elsewhere.
      const next = await chunks.next().catch(() => undefined);
      if (next && next.done !== true) controller.enqueue(next.value);
      else controller.close();
    },
  });
}

/** The input of a process as a web stream. */
export function toWritable(input: Writable): WritableStream<Uint8Array> {
  return new WritableStream<Uint8Array>({
    // Called back after an error, too; that the process has ended is reported elsewhere.
    write: (chunk) => new Promise((resolve) => input.write(chunk, () => resolve())),
  });
}
