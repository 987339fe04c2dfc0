import { askClamd, type ClamdAddress } from './clamd.ts';
import { scanBytesPerMs, scanChunkBytes, scanMsMax } from './limits.ts';

export type { ClamdAddress };

/** Resolves to the name of the malware found; undefined if the file is clean. */
type Scan = (
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly size: number; readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** Scans files with a running clamd (`INSTREAM`). Fault `SCANNER_UNREACHABLE` unless it gets a valid answer, so no file passes unscanned. */
export function createScan(address: ClamdAddress): Scan {
  return async (bytes, { size, signal }) => {
    const deadlineMs = scanMsMax + size / scanBytesPerMs;
    const frames = framesOf(bytes);
    return await askClamd(address, frames, { signal, deadlineMs, read: verdictOf });
  };
}

/** Chunks with their length as prefix, then a length of zero. */
async function* framesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('zINSTREAM\0');
  for await (const piece of bytes) {
    for (let at = 0; at < piece.byteLength; at += scanChunkBytes) {
      const chunk = piece.subarray(at, at + scanChunkBytes);
      yield lengthOf(chunk.byteLength);
      yield chunk;
    }
  }
  yield lengthOf(0);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** The malware found; undefined if the file is clean. */
function verdictOf(answer: string): string | undefined {
  if (answer === 'stream: OK') return undefined;
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1];
  if (found !== undefined) return found;
  throw new Error(
    answer === '' ? 'connection closed without an answer' : `unexpected answer “${answer}”`,
  );
}
