import { StringDecoder } from 'node:string_decoder';
import { Fault } from '../../../base/fault.ts';
import { isJsonObject, type Json, parseJson } from '../../../base/json.ts';
import { providerErrorChars, unstreamedCharsMax } from './limits.ts';
import { toModelFault } from './model-faults.ts';

/** Why an endpoint answered a request for a stream with this JSON: the error that it holds, or it does not stream. */
function notStreamed(text: string): Fault {
  const body = parseJson(text);
  const error = isJsonObject(body) ? body['error'] : undefined;
  if (error !== undefined && error !== null) return toModelFault(toError(error));
  const because = `it answered ${text.slice(0, providerErrorChars)}`;
  return new Fault('MODEL_NOT_STREAMED', { because });
}

/**
 * For a library that would read JSON as a stream without events. Nothing of the response has been read yet, and it can be read
 * afterwards: some servers send a stream under the type of JSON.
 */
export async function assertStreamed(response: Response): Promise<void> {
  if (!/^application\/json\b/i.test(response.headers.get('content-type') ?? '')) return;
  const reader = response.clone().body?.getReader();
  if (reader === undefined) return;
  try {
    await readJson(reader);
  } finally {
    // It ends with the response itself, which is read after this.
    void reader.cancel().catch(() => undefined);
  }
}

/** Returns at the first text that is not JSON; throws the fault of an answer that is. */
async function readJson(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const answer = new JsonAnswer();
  const decoder = new StringDecoder('utf8');
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return answer.end();
    const text = decoder.write(value);
    if (!answer.take(text) && text.trim() !== '') return;
  }
}

/** No line of a stream of events begins like this. */
function isJson(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/** Collects an answer that is JSON in place of a stream. */
export class JsonAnswer {
  #text = '';
  #isJson: boolean | undefined;

  /** Whether the text belongs to such an answer. */
  take(text: string): boolean {
    this.#isJson ??= text.trim() === '' ? undefined : isJson(text);
    if (!this.#isJson) return false;
    this.#text += text;
    if (this.#text.length > unstreamedCharsMax) throw notStreamed(this.#text);
    return true;
  }

  /** Throws the fault of the answer, if it was one. */
  end(): void {
    if (this.#isJson) throw notStreamed(this.#text);
  }
}

function toError(said: Json): Error {
  const fields = isJsonObject(said) ? said : {};
  const message = typeof said === 'string' ? said : (fields['message'] ?? JSON.stringify(said));
  const type = String(fields['type'] ?? fields['code'] ?? 'error_in_answer');
  return Object.assign(new Error(String(message)), { type });
}
