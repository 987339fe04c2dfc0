import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Gate, refusalOf } from './allowed-hosts.ts';
import { egressBytesMax, egressConnectMsMax, egressIdleMsMax } from './limits.ts';

type Refused = (host: string) => void;
type Target =
  | { readonly target: URL; readonly headers: Readonly<Record<string, string>> }
  | { readonly gate: Gate };

/** Forwards one plain request, to a model with its key or to an allowed host. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: Target & { readonly refused: Refused },
): Promise<void> {
  try {
    const target = 'target' in options ? options.target : targetOf(request, options.gate);
    const answer = await send(request, target, options);
    response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
    await pipeline(answer, byteLimit(), response);
  } catch (error) {
    const why = refusalOf(error);
    if (why !== undefined) options.refused(request.headers.host ?? '');
    answerFailure(response, why);
  }
}

function answerFailure(response: ServerResponse, refusal: string | undefined): void {
  if (response.headersSent) response.destroy();
  else if (refusal !== undefined) response.writeHead(403).end(refusal);
  else response.writeHead(502).end('the host cannot be reached');
}

function targetOf({ url = '' }: IncomingMessage, gate: Gate): URL {
  const target = new URL(url);
  gate.check(target.hostname, Number(target.port || 80));
  return target;
}

async function send(
  request: IncomingMessage,
  target: URL,
  options: Target,
): Promise<IncomingMessage> {
  const isModel = 'target' in options;
  const outgoing = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
    method: request.method,
    agent: false,
    timeout: egressIdleMsMax,
    headers: { ...sendable(request.headers, options), host: target.host },
    ...(isModel ? {} : { lookup: options.gate.lookup }),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
  });
  const sent = pipeline(request, byteLimit(), outgoing);
  // The answer may come before the request has been sent, and an error is reported by both.
  sent.catch(() => undefined);
  return answered;
}

/** The keys that a program sends are not its own, so none are passed on. */
const keyHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-goog-api-key']);

function sendable(headers: IncomingHttpHeaders, options: Target): IncomingHttpHeaders {
  const plain = withoutHops(headers);
  if (!('target' in options)) return plain;
  const kept = Object.entries(plain).filter(([name]) => !keyHeaders.has(name));
  return { ...Object.fromEntries(kept), ...options.headers };
}

const hops: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hops.has(name)));
}

type Tunnel = {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly gate: Gate;
  readonly refused: Refused;
};

/** Connects the program with an allowed host; what they exchange is encrypted. */
export function openTunnel(target: string, { socket, head, gate, refused }: Tunnel): void {
  socket.on('error', () => undefined);
  const [, host = '', port = '443'] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(target) ?? [];
  try {
    gate.check(host, Number(port));
  } catch (error) {
    refused(target);
    socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusalOf(error) ?? ''}`);
    return;
  }
  const timeout = egressConnectMsMax;
  const upstream = connect({ host, port: Number(port), lookup: gate.lookup, timeout });
  const fail = () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  upstream.once('error', fail).once('timeout', () => upstream.destroy(new Error('no answer')));
  upstream.once('connect', () => {
    upstream.off('error', fail);
    upstream.setTimeout(egressIdleMsMax);
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(head);
    const ways = [pipeline(socket, byteLimit(), upstream), pipeline(upstream, byteLimit(), socket)];
    for (const way of ways) way.catch(() => undefined);
  });
}

function byteLimit(): Transform {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      if (bytes > egressBytesMax) done(new Error('too many bytes'));
      else done(null, chunk);
    },
  });
}
