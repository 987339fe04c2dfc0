import { addAbortListener } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { readStart } from '../../base/bytes/read-bytes.ts';
import { Fault } from '../../base/fault.ts';
import { isAborted, Work } from '../../base/signal.ts';
import { scanAnswerBytesMax } from './limits.ts';

/** Where a clamd listens: the path of its socket, or a host and port. */
export type ClamdAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number };

type ClamdRequest<T> = {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** Throws if the answer is not valid. */
  read(answer: string): T;
};

/** Sends one request to clamd on a separate connection. Fault `SCANNER_UNREACHABLE` unless it gets a valid answer. */
export async function askClamd<T>(
  address: ClamdAddress,
  question: AsyncIterable<Uint8Array>,
  { signal, deadlineMs, read }: ClamdRequest<T>,
): Promise<T> {
  using work = new Work(signal, { deadlineMs });
  try {
    return read(await exchange(address, question, work.signal));
  } catch (error) {
    signal.throwIfAborted();
    const late = isAborted(work.signal)
      ? `no answer within ${Math.round(deadlineMs)} ms`
      : undefined;
    const because = late ?? (error instanceof Error ? error.message : String(error));
    throw new Fault('SCANNER_UNREACHABLE', { because }, { cause: error });
  }
}

async function exchange(
  address: ClamdAddress,
  question: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  const socket = connect(address);
  using _stop = addAbortListener(signal, () => socket.destroy());
  try {
    // A send error shows in the answer, or in its absence.
    pipeline(question, socket).catch(() => undefined);
    return await answerOf(socket);
  } finally {
    socket.destroy();
  }
}

/** Up to the zero byte that ends an answer. */
async function answerOf(socket: Socket): Promise<string> {
  const start = await readStart(socket, { bytesMax: scanAnswerBytesMax, until: 0 });
  const [answer = ''] = start.toString().split('\0');
  return answer;
}
