import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Fault } from '../../base/fault.ts';

export function createHttpServer(fetch: Parameters<typeof getRequestListener>[0]): Server {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer({ shouldUpgradeCallback: asksForSocket }, (request, response) => {
    void answer(request, response);
  });
  return server.on('upgrade', (request: IncomingMessage, connection: Duplex, rest: Buffer) => {
    if (asksForSocket(request)) return;
    connection.unshift(Buffer.concat([headWithoutOffer(request), rest]));
    server.emit('connection', connection);
  });
}

/**
 * Some clients offer `h2c` with every request; they are answered over HTTP/1.1. Node before 24.9 does not ask first: it
 * takes the connection from its server, which reads the request again without the offer.
 */
function headWithoutOffer({ method, url, rawHeaders, httpVersion }: IncomingMessage): Buffer {
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || offers.has(name.toLowerCase()) ? [] : [`${name}: ${rawHeaders[at + 1] ?? ''}`],
  );
  const head = [`${method} ${url} HTTP/${httpVersion}`, ...lines, '', ''];
  return Buffer.from(head.join('\r\n'), 'latin1');
}

const offers: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

function asksForSocket({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.startsWith('/socket.io');
}

/** Listens and returns the port. Faults `PORT_IN_USE` and `CONFIG_INVALID`. */
export async function listen(
  http: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const place = `${host}:${port}`;
      const inUse = cause.code === 'EADDRINUSE';
      const because = inUse ? place : `cannot listen at ${place}: ${cause.message}`;
      reject(new Fault(inUse ? 'PORT_IN_USE' : 'CONFIG_INVALID', { because }, { cause }));
    });
    http.listen(port, host, resolve);
  });
  const address = http.address();
  return typeof address === 'object' && address ? address.port : port;
}

export async function closeServer(http: Server): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
}
