import { randomUUID } from 'node:crypto';
import {
  type FetchLike,
  isJSONRPCRequest,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { tooManyBytes } from '../../../base/bytes/read-bytes.ts';
import { messageBytesMax, retryMsMax, retryMsMin } from '../tools/limits.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

export type HttpOptions = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
};

/**
 * Streamable HTTP transport. Does not follow redirects to another origin with our headers, limits the size of messages, and fails a
 * request when its stream ends without an answer.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor({ url, headers, fetch }: HttpOptions) {
    super(new URL(url), {
      fetch: bounded(fetch),
      requestInit: { headers },
      redirectPolicy: 'same-origin',
      reconnectionOptions: {
        initialReconnectionDelay: retryMsMin,
        maxReconnectionDelay: retryMsMax,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 10,
      },
    });
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) return super.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      const error = { code: serverError, message: streamEndedMessage, data: streamEnded };
      this.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

/** JSON-RPC code without a meaning of its own: servers answer with it too. */
const serverError = -32_000;
/**
 * The `data` of the error for a missing answer. No server knows it. Sent for every stream that ends; the client ignores it
 * for requests that were answered.
 */
export const streamEnded = randomUUID();
export const streamEndedMessage = 'the answer broke off';

function bounded(fetch: typeof globalThis.fetch): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const body = response.body.pipeThrough(limited(isStream));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

/** In an event stream the limit applies to each event; an empty line ends an event. */
function limited(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const event = { bytes: 0, line: 0 };
  return new TransformStream({
    transform: (chunk, controller) => {
      if (isStream) count(chunk, event);
      else event.bytes += chunk.byteLength;
      if (event.bytes > messageBytesMax) controller.error(tooManyBytes(messageLimit));
      else controller.enqueue(chunk);
    },
  });
}

const [lineFeed, carriageReturn] = [10, 13];

function count(chunk: Uint8Array, event: { bytes: number; line: number }): void {
  for (const byte of chunk) {
    event.bytes += 1;
    if (byte === lineFeed) {
      if (event.line === 0) event.bytes = 0;
      event.line = 0;
    } else if (byte !== carriageReturn) event.line += 1;
  }
}

const messageLimit = { bytesMax: messageBytesMax, what: 'a message of the server' };
