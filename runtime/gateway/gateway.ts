import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Fault } from '../base/fault.ts';
import { Scope } from '../base/scope.ts';
import { AnonymousPeers } from './auth/anonymous-connections.ts';
import { Strangers } from './auth/anonymous-limit.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createEntry, createHandshake } from './auth/origin-guard.ts';
import { openAttachmentParts } from './files/host-attachments.ts';
import type { Env } from './http/context.ts';
import { route } from './http-routes.ts';
import { Desk } from './intake/intake.ts';
import type { GatewayDeps } from './ports/gateway-deps.ts';
import { Sockets } from './socket/socket-server.ts';

export type Gateway = AsyncDisposable & { readonly port: number; readonly url: string };

/**
 * The front door, listening when it resolves; port 0 takes a free one. Closing ends every connection and waits for
 * what is under way. Faults `PORT_IN_USE` and `CONFIG_INVALID`.
 */
export async function openGateway(
  deps: GatewayDeps,
  { host, port }: { host: string; port: number },
): Promise<Gateway> {
  const scope = new Scope();
  try {
    return await open(deps, { host, port, scope });
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

async function open(
  deps: GatewayDeps,
  { host, port, scope }: { host: string; port: number; scope: Scope },
): Promise<Gateway> {
  const authenticate = createAuthenticate(deps.auth, { scope: deps.scope, host });
  const files = openAttachmentParts(deps, scope);
  const desk = new Desk(deps, files);
  const closing = new AbortController();
  const app = new Hono<Env>();
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const http = createServer((request, response) => void answer(request, response));
  const anonymous = new AnonymousPeers();
  http.on('connection', (connection) => anonymous.add(connection));
  scope.defer(() => closeServer(http));
  const entry = createEntry(deps.auth);
  const handshake = createHandshake({
    entry,
    authenticate,
    explain: (error) => desk.explain(error),
  });
  const { origins = [] } = deps.auth;
  const sockets = scope.own(
    new Sockets(http, deps, { desk, authenticate, handshake, anonymous, origins }),
  );
  scope.defer(() => closing.abort());
  const numbers = () => ({
    sockets: sockets.connected,
    subscriptions: sockets.subscriptions,
    anonymous_connections: anonymous.size,
    ...Object.fromEntries(
      Object.entries(desk.counts).map(([name, n]) => [`messages_${name}_total`, n]),
    ),
  });
  const strangers = new Strangers(deps.clock, deps.limits?.anonymousPerHour);
  const parts = { deps, desk, ...files, authenticate, strangers, entry, anonymous, numbers };
  route(app, { ...parts, closing: closing.signal });
  const bound = await listen(http, { host, port });
  const name = host.includes(':') ? `[${host}]` : host;
  const close = () => scope[Symbol.asyncDispose]();
  return { port: bound, url: `http://${name}:${bound}`, [Symbol.asyncDispose]: close };
}

async function listen(
  http: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const place = `${host}:${port}`;
      const inUse = cause.code === 'EADDRINUSE';
      const because = inUse ? place : `${place} cannot be listened at: ${cause.message}`;
      reject(new Fault(inUse ? 'PORT_IN_USE' : 'CONFIG_INVALID', { because }, { cause }));
    });
    http.listen(port, host, resolve);
  });
  const address = http.address();
  return typeof address === 'object' && address ? address.port : port;
}

async function closeServer(http: Server): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
}
