import { addAbortListener } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../base/fault.ts';
import { isAborted, Work } from '../../base/signal.ts';
import { scanAnswerCharsMax, scanChunkBytes, scanMsMax } from './limits.ts';

/** Where a clamd listens: the path of its socket, or a host and port. */
export type ClamdAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number };

/** Undefined: nothing was found; else what was. */
type Scan = (
  bytes: Uint8Array,
  options: { readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** Files pass a running clamd (`INSTREAM`). Fault `SCANNER_UNREACHABLE` for whatever is no clear answer: nothing unscanned passes. */
export function createScan(address: ClamdAddress): Scan {
  return async (bytes, { signal }) => {
    using work = new Work(signal, { deadlineMs: scanMsMax });
    try {
      return verdictOf(await ask(address, bytes, work.signal));
    } catch (error) {
      signal.throwIfAborted();
      const late = isAborted(work.signal) ? `no answer within ${scanMsMax} ms` : undefined;
      const because = late ?? (error instanceof Error ? error.message : String(error));
      throw new Fault('SCANNER_UNREACHABLE', { because }, { cause: error });
    }
  };
}

async function ask(address: ClamdAddress, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const socket = connect(address);
  using _stop = addAbortListener(signal, () => socket.destroy());
  try {
    // What cannot be sent any more is told by what comes, or does not come, from the other side.
    pipeline(framesOf(bytes), socket).catch(() => undefined);
    return await read(socket);
  } finally {
    socket.destroy();
  }
}

/** Pieces with their length before them, and a length of zero. */
function* framesOf(bytes: Uint8Array): Generator<Uint8Array> {
  yield Buffer.from('zINSTREAM\0');
  for (let at = 0; at < bytes.byteLength; at += scanChunkBytes) {
    const chunk = bytes.subarray(at, at + scanChunkBytes);
    yield lengthOf(chunk.byteLength);
    yield chunk;
  }
  yield lengthOf(0);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

async function read(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += String(chunk);
    if (text.endsWith('\0') || text.length > scanAnswerCharsMax) break;
  }
  return text.replace(/\0$/, '');
}

/** What was found; undefined: nothing was. */
function verdictOf(answer: string): string | undefined {
  if (answer === 'stream: OK') return undefined;
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1];
  if (found !== undefined) return found;
  throw new Error(answer === '' ? 'it hung up without an answer' : `it says “${answer}”`);
}
