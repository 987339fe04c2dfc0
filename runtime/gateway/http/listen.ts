import { createServer, type IncomingMessage, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Fault } from '../../base/fault.ts';

export function createHttpServer(fetch: Parameters<typeof getRequestListener>[0]): Server {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  return createServer({ shouldUpgradeCallback: asksForSocket }, (request, response) => {
    void answer(request, response);
  });
}

/** Other upgrades are answered over HTTP/1.1: some clients offer `h2c` with every request. Node before 24.9 closes these connections. */
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
