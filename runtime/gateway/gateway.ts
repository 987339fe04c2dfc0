import { Hono } from 'hono';
import { Scope } from '../base/scope.ts';
import { AnonymousConnections } from './auth/anonymous-connections.ts';
import { AnonymousLimit } from './auth/anonymous-limit.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createHandshakeCheck, createOriginGuard } from './auth/origin-guard.ts';
import { openAttachmentServices } from './files/host-attachments.ts';
import type { Env } from './http/context.ts';
import { closeServer, createHttpServer, listen } from './http/listen.ts';
import { addRoutes } from './http-routes.ts';
import { Intake } from './intake/intake.ts';
import type { GatewayDeps } from './ports/gateway-deps.ts';
import { SocketServer } from './socket/socket-server.ts';
import { openSurface } from './surfaces/open-surface.ts';

export type Gateway = AsyncDisposable & { readonly port: number; readonly url: string };

/**
 * Opens the gateway, which is listening when this resolves; port 0 picks a free one. Closing ends every connection and
 * waits for running work. Faults `PORT_IN_USE` and `CONFIG_INVALID`.
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
  const files = openAttachmentServices(deps, scope);
  const intake = new Intake(deps, files);
  const closing = new AbortController();
  const app = new Hono<Env>();
  const http = createHttpServer(app.fetch);
  const anonymous = new AnonymousConnections();
  http.on('connection', (connection) => anonymous.add(connection));
  scope.defer(() => closeServer(http));
  const originGuard = createOriginGuard(deps.auth);
  const handshake = createHandshakeCheck({
    originGuard,
    authenticate,
    explain: (error) => intake.explain(error),
  });
  const { origins = [] } = deps.auth;
  const sockets = scope.own(
    new SocketServer(http, deps, {
      ...{ intake, authenticate, handshake, anonymous, origins },
      enter: () => deps.presence?.enter(),
    }),
  );
  scope.defer(() => closing.abort());
  const metrics = () => ({
    sockets: sockets.connected,
    subscriptions: sockets.subscriptions,
    anonymous_connections: anonymous.size,
    ...deps.metrics?.(),
    ...Object.fromEntries(
      Object.entries(intake.counts).map(([name, n]) => [`messages_${name}_total`, n]),
    ),
  });
  const surfaces = (deps.surfaces ?? []).map((served) =>
    openSurface(deps, { served, intake }, scope),
  );
  const anonymousLimit = new AnonymousLimit(deps.clock, deps.limits?.anonymousPerHour);
  const parts = {
    deps,
    intake,
    ...files,
    authenticate,
    anonymousLimit,
    originGuard,
    anonymous,
    surfaces,
    metrics,
  };
  addRoutes(app, { ...parts, closing: closing.signal });
  const bound = await listen(http, { host, port });
  const name = host.includes(':') ? `[${host}]` : host;
  const close = () => scope[Symbol.asyncDispose]();
  return { port: bound, url: `http://${name}:${bound}`, [Symbol.asyncDispose]: close };
}
