import { outputEndChars } from '../../../../supervisor/report/limits.ts';
import { watchOutput } from '../../../../supervisor/report/program-output.ts';
import { createDeferred } from '../queue/deferred.ts';

type OutputPart = { readonly bytes: string; readonly left_out?: number };

export interface OutputSender {
  /** Resolves when the stream has ended and its output is in the bucket. Rejects as soon as something cannot be sent. */
  readonly ended: Promise<void>;
  /** Sends the end of the output so far; for a program that does not end on its own. */
  finish(): Promise<void>;
}

/**
 * Sends the output of a program up to the limit; after that it only drains the stream. At the end it sends the last
 * characters, with the number of characters missing before them.
 */
export function sendOutput(
  stream: AsyncIterable<Uint8Array>,
  send: (part: OutputPart) => Promise<void>,
): OutputSender {
  const broken = createDeferred<unknown>();
  const output = watchOutput(stream, (text) => {
    send({ bytes: toBase64(text) }).catch(broken.settle);
  });
  let finished = false;
  const finish = async () => {
    const missing = output.chars - output.kept.length;
    if (finished || missing === 0) return;
    finished = true;
    const end = output.tail(Math.min(missing, outputEndChars));
    await send({ bytes: toBase64(end), left_out: missing - end.length });
  };
  const failed = broken.value.then((error) => Promise.reject(error));
  return { ended: Promise.race([output.ended.then(finish), failed]), finish };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
