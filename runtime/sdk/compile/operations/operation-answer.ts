import { Fault, isFault, toWire } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { operationAnswerBytesMax } from '../../contract/limits.ts';
import type { HeaderLines, OperationAnswer } from '../../contract/runtime-bundle.ts';
import type { Log } from '../../define/context.ts';
import type { Mask } from '../host/mask.ts';

const json: HeaderLines = [['content-type', 'application/json']];
/** Headers that belong to the connection, or that the server sets itself. */
const connectionHeaders = new Set([
  ...['connection', 'content-length', 'content-encoding', 'keep-alive'],
  ...['transfer-encoding', 'trailer', 'upgrade'],
]);

/** Throws if the answer is too large. */
export function okAnswer(ret: Json): OperationAnswer {
  return checkedSize(toAnswer(200, { ok: true, ret }));
}

type ErrorBody = {
  readonly code: string;
  readonly message: string;
  readonly retry_after_ms?: number;
};
export function refusedAnswer(status: number, error: ErrorBody): OperationAnswer {
  return toAnswer(status, { ok: false, error });
}

/** A refusal is 422, a fault 503 or 502. Details of unexpected errors are not sent to the caller. */
export function failureAnswer(
  error: unknown,
  { log, mask }: { log: Log; mask: Mask },
): OperationAnswer {
  if (isRefusal(error)) {
    const { code, message, retryAfterMs } = error;
    const retry = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
    return refusedAnswer(422, { code, message: mask.text(message), ...retry });
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error) };
  log.warn('operation failed', { error: message, stack });
  if (!isFault(error)) return refusedAnswer(502, toWire(new Fault('OPERATION_FAILED')));
  return refusedAnswer(error.kind === 'transient' ? 503 : 502, toWire(error));
}

/** A Response that the bundle returned, unchanged except for masked secrets in text. */
export async function passAnswer(response: Response, mask: Mask): Promise<OperationAnswer> {
  // A header cannot hold the mask character, so a header that contains a secret is left out.
  const isPassed = ([name, value]: readonly [string, string]) =>
    !connectionHeaders.has(name) && mask.text(value) === value;
  const headers = [...response.headers].filter(isPassed);
  const body = await readBody(response);
  return { status: response.status, headers, body: masked(body, mask) };
}

async function readBody({ body }: Response): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > operationAnswerBytesMax) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function masked(bytes: Uint8Array, mask: Mask): Uint8Array {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return new TextEncoder().encode(mask.text(text));
  } catch {
    // Not text.
    return bytes;
  }
}

function toAnswer(status: number, value: Json): OperationAnswer {
  return { status, headers: json, body: new TextEncoder().encode(JSON.stringify(value)) };
}

function checkedSize(answer: OperationAnswer): OperationAnswer {
  if (answer.body.byteLength > operationAnswerBytesMax) throw tooLarge();
  return answer;
}

function tooLarge(): Error {
  return new Error(`An operation can answer with at most ${operationAnswerBytesMax} bytes.`);
}
