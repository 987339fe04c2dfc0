import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { toMessages } from './wires/anthropic.ts';
import { toCompletions, toMistral } from './wires/chat.ts';
import { toGemini } from './wires/gemini.ts';
import { toResponses } from './wires/responses.ts';
import type { WireEvent, WireReply } from './wires/wire-reply.ts';

export type { WireReply } from './wires/wire-reply.ts';

export type WireRequest = {
  readonly provider: 'anthropic' | 'openai' | 'responses' | 'google' | 'mistral';
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The body as it was sent, and parsed. */
  readonly raw: string;
  readonly body: Record<string, unknown>;
  /** How the connection ended: only the client hangs up. */
  readonly closed: Promise<'finished' | 'hung up'>;
};

export interface ModelWire extends AsyncDisposable {
  readonly anthropicUrl: string;
  /** Chat completions, and Responses. */
  readonly openaiUrl: string;
  readonly googleUrl: string;
  readonly mistralUrl: string;
  readonly requests: readonly WireRequest[];
}

type Handler = (request: WireRequest, index: number) => WireReply | Promise<WireReply>;

/** A real server on this machine that speaks the streaming wires of Anthropic's messages, OpenAI's chat completions and Responses, and Google's Gemini. */
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
    googleUrl: `http://127.0.0.1:${port}/v1beta`,
    mistralUrl: `http://127.0.0.1:${port}/mistral/v1`,
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
  const { url: path = '' } = incoming;
  const body = JSON.parse(raw) as Record<string, unknown>;
  return { provider: providerAt(path), path, headers: incoming.headers, raw, body, closed };
}

function providerAt(path: string): WireRequest['provider'] {
  if (path.startsWith('/v1beta/')) return 'google';
  if (path.startsWith('/mistral/')) return 'mistral';
  if (path === '/v1/messages') return 'anthropic';
  return path === '/v1/responses' ? 'responses' : 'openai';
}

const wires = {
  anthropic: toMessages,
  openai: toCompletions,
  responses: toResponses,
  google: toGemini,
  mistral: toMistral,
};

async function answer(reply: WireReply, { provider }: WireRequest, response: ServerResponse) {
  if (reply === 'cut') {
    response.destroy();
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    const body = { type: 'error', error: reply.error ?? { message: 'no' } };
    response.end(reply.body ?? JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if ('recorded' in reply) {
    await writeBytes(response, Buffer.from(reply.recorded), reply.packetBytes);
    if (reply.cut) response.destroy();
    else response.end();
    return;
  }
  for await (const event of wires[provider](reply)) await write(response, event, reply.packetBytes);
  if (reply.end === 'cut') response.destroy();
  else response.end();
}

async function write(response: ServerResponse, { name, data }: WireEvent, packetBytes = Infinity) {
  const head = name === undefined ? '' : `event: ${name}\n`;
  const body = typeof data === 'string' ? data : JSON.stringify(data);
  await writeBytes(response, Buffer.from(`${head}data: ${body}\n\n`), packetBytes);
}

async function writeBytes(response: ServerResponse, bytes: Buffer, packetBytes = Infinity) {
  for (let at = 0; at < bytes.length; at += packetBytes) {
    response.write(bytes.subarray(at, at + packetBytes));
    await turn();
  }
}
