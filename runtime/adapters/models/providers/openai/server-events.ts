import { StringDecoder } from 'node:string_decoder';
import { APIError } from 'openai';
import { isJsonObject, parseJson } from '../../../../base/json.ts';
import { serverEventCharsMax, streamEndMsMax } from '../limits.ts';
import { JsonAnswer } from '../not-streamed.ts';
import { EventLines, type ServerEvent } from './event-lines.ts';

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * The data of the events of a streamed response: all that have arrived together, at once. The library's own reader takes
 * several steps for each event, and it breaks the connection off at `[DONE]` unless the end of the body has arrived with it,
 * so that the next request needs a new connection.
 */
export async function* serverEvents<T>(response: Response): AsyncGenerator<readonly T[]> {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('the response has no body');
  try {
    for await (const events of eventsIn(reader)) {
      const last = events.findIndex(isLast);
      const { read, error } = readAll<T>(last < 0 ? events : events.slice(0, last), response);
      if (read.length > 0) yield read;
      if (error !== undefined) throw error;
      if (last >= 0) return await readToEnd(reader);
    }
  } finally {
    // Does nothing at the end of the body; before it, this closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}

async function* eventsIn(reader: BodyReader): AsyncGenerator<readonly ServerEvent[]> {
  const decoder = new StringDecoder('utf8');
  const lines = new EventLines();
  const json = new JsonAnswer();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      json.end();
      yield [...lines.push(decoder.end()), ...lines.end()];
      return;
    }
    const text = decoder.write(value);
    if (json.take(text)) continue;
    const events = lines.push(text);
    if (lines.heldChars > serverEventCharsMax)
      throw new Error('an event of the stream is too long');
    if (events.length > 0) yield events;
  }
}

function isLast({ data }: ServerEvent): boolean {
  return data === '[DONE]';
}

/** After the last event, only the end of the body is missing. A server that does not send it loses its connection. */
async function readToEnd(reader: BodyReader): Promise<void> {
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, streamEndMsMax);
    const end = async () => {
      while (!(await reader.read()).done);
    };
    const over = () => {
      clearTimeout(late);
      resolve();
    };
    end().then(over, over);
  });
}

/** The data of these events, up to the first error: some servers send one inside the stream. */
function readAll<T>(events: readonly ServerEvent[], { headers }: Response) {
  const read: T[] = [];
  for (const { event, data } of events) {
    const said: unknown = parseJson(data);
    if (said === undefined) return { read, error: new Error(`not a JSON event: ${data}`) };
    const error = errorIn(event, said);
    if (error) return { read, error: new APIError(undefined, error, undefined, headers) };
    // The library declares the form of its events and does not check it.
    read.push(said as T);
  }
  return { read, error: undefined };
}

/** `{error}`, or an event of the type `error` with the code and the message beside it, as the Responses API sends it. */
function errorIn(event: string | undefined, said: unknown): object | undefined {
  if (!isJsonObject(said)) return event === 'error' ? { message: said } : undefined;
  const { error, type, ...fields } = said;
  if (error) return isJsonObject(error) ? error : { message: error };
  if (type === 'error') return fields;
  return event === 'error' ? said : undefined;
}
