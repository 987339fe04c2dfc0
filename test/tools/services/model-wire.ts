import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';

export type WireRequest = {
  readonly provider: 'anthropic' | 'openai';
  readonly headers: IncomingMessage['headers'];
  /** The body as it was sent, and parsed. */
  readonly raw: string;
  readonly body: Record<string, unknown>;
  /** How the connection ended: only the client hangs up. */
  readonly closed: Promise<'finished' | 'hung up'>;
};

/** A tool call. Its input is streamed in pieces of `chars` characters. */
export type WireCall = {
  readonly name: string;
  readonly input: object;
  readonly id?: string;
  readonly chars?: number;
};

export type WireUsage = { input: number; output: number; cacheRead?: number; cacheWrite?: number };

export type WireReply =
  | {
      readonly text: Iterable<string> | AsyncIterable<string>;
      readonly reasoning?: string;
      /** After the text. */
      readonly calls?: readonly WireCall[];
      /** `none`: the stream ends without saying why. */
      readonly finish?: 'stop' | 'length' | 'refusal' | 'none';
      readonly usage?: WireUsage;
      /** Bytes per packet: events and characters are torn wherever they happen to be. */
      readonly packetBytes?: number;
      /** After the text: the connection breaks, or the provider sends an error inside the stream. */
      readonly end?: 'cut' | 'overloaded';
    }
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly error?: WireError;
    }
  /** The connection breaks before anything is said. */
  | 'cut';

export type WireError = { readonly type: string; readonly message: string };

export interface ModelWire extends AsyncDisposable {
  readonly anthropicUrl: string;
  readonly openaiUrl: string;
  readonly requests: readonly WireRequest[];
}

type Handler = (request: WireRequest, index: number) => WireReply | Promise<WireReply>;
type Event = { readonly name?: string; readonly data: unknown };

/** A real server on this machine that speaks the streaming wire of Anthropic's messages and OpenAI's chat completions. */
export async function openModelWire(handler: Handler): Promise<ModelWire> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await toRequest(incoming, response);
      requests.push(request);
      await answer(await handler(request, requests.length - 1), request, response);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    anthropicUrl: `http://127.0.0.1:${port}`,
    openaiUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function toRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<WireRequest> {
  const closed = once(response, 'close').then(() =>
    response.writableFinished ? ('finished' as const) : ('hung up' as const),
  );
  const raw = await readText(incoming);
  const provider = incoming.url === '/v1/messages' ? 'anthropic' : 'openai';
  const body = JSON.parse(raw) as Record<string, unknown>;
  return { provider, headers: incoming.headers, raw, body, closed };
}

async function answer(reply: WireReply, { provider }: WireRequest, response: ServerResponse) {
  if (reply === 'cut') {
    response.destroy();
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify({ type: 'error', error: reply.error ?? { message: 'no' } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const events = provider === 'anthropic' ? toMessages(reply) : toCompletions(reply);
  for await (const event of events) await write(response, event, reply.packetBytes);
  if (reply.end === 'cut') response.destroy();
  else response.end();
}

async function write(response: ServerResponse, { name, data }: Event, packetBytes = Infinity) {
  const head = name === undefined ? '' : `event: ${name}\n`;
  const body = typeof data === 'string' ? data : JSON.stringify(data);
  const bytes = Buffer.from(`${head}data: ${body}\n\n`);
  for (let at = 0; at < bytes.length; at += packetBytes) {
    response.write(bytes.subarray(at, at + packetBytes));
    await turn();
  }
}

type Stream = Extract<WireReply, { text: unknown }>;

async function* toMessages(reply: Stream): AsyncGenerator<Event> {
  const { text, reasoning, calls = [], finish = 'stop', usage = { input: 1, output: 1 } } = reply;
  const input = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  };
  const typed = (type: string, rest: object = {}) => ({ name: type, data: { type, ...rest } });
  const delta = (piece: object) => typed('content_block_delta', { index: 0, delta: piece });
  const message = { id: 'msg_1', role: 'assistant', model: 'claude-wire', content: [] };
  yield typed('message_start', { message: { ...message, usage: { ...input, output_tokens: 1 } } });
  yield typed('ping');
  yield typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  if (reasoning) yield delta({ type: 'thinking_delta', thinking: reasoning });
  for await (const piece of text) yield delta({ type: 'text_delta', text: piece });
  if (reply.end === 'overloaded') {
    yield typed('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  }
  if (reply.end) return;
  yield typed('content_block_stop', { index: 0 });
  for (const [n, { name, id = `toolu_${n}`, ...call }] of calls.entries()) {
    const block = { type: 'tool_use', id, name, input: {} };
    yield typed('content_block_start', { index: n + 1, content_block: block });
    for (const partial_json of piecesOf(call)) {
      const delta = { type: 'input_json_delta', partial_json };
      yield typed('content_block_delta', { index: n + 1, delta });
    }
    yield typed('content_block_stop', { index: n + 1 });
  }
  if (finish === 'none') return;
  const stopped = calls.length > 0 ? 'tool_use' : 'end_turn';
  const stop_reason = { stop: stopped, length: 'max_tokens', refusal: 'refusal' }[finish];
  yield typed('message_delta', {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  yield typed('message_stop');
}

async function* toCompletions(reply: Stream): AsyncGenerator<Event> {
  const { text, reasoning, calls = [], finish = 'stop', usage = { input: 1, output: 1 } } = reply;
  const chunk = (choices: object[], rest: object = {}) => ({
    data: { id: 'c1', object: 'chat.completion.chunk', model: 'gpt-wire', choices, ...rest },
  });
  const delta = (piece: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: piece, finish_reason }]);
  yield delta({ role: 'assistant', content: '' });
  if (reasoning) yield delta({ reasoning_content: reasoning });
  for await (const piece of text) yield delta({ content: piece });
  if (reply.end === 'overloaded') {
    yield { data: { error: { type: 'server_error', message: 'Overloaded' } } };
  }
  if (reply.end) return;
  for (const [index, { name, id = `call_${index}`, ...call }] of calls.entries()) {
    const opened = { index, id, type: 'function', function: { name, arguments: '' } };
    yield delta({ tool_calls: [opened] });
    for (const text of piecesOf(call)) {
      yield delta({ tool_calls: [{ index, function: { arguments: text } }] });
    }
  }
  if (finish === 'none') return;
  const stopped = calls.length > 0 ? 'tool_calls' : 'stop';
  yield delta({}, { stop: stopped, length: 'length', refusal: 'content_filter' }[finish]);
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const counts = {
    prompt_tokens: input + cacheRead + cacheWrite,
    completion_tokens: output,
    total_tokens: input + cacheRead + cacheWrite + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  };
  yield chunk([], { usage: counts });
  yield { data: '[DONE]' };
}

function piecesOf({ input, chars = 7 }: Pick<WireCall, 'input' | 'chars'>): readonly string[] {
  const text = JSON.stringify(input);
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, n) =>
    text.slice(n * chars, (n + 1) * chars),
  );
}
