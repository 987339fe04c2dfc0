import type { HttpBindings } from '@hono/node-server';
import { Scope } from '../base/scope.ts';
import { AnonymousConnections } from './auth/anonymous-connections.ts';
import { AnonymousLimit } from './auth/anonymous-limit.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createHandshakeCheck, createOriginGuard } from './auth/origin-guard.ts';
import { openAttachmentServices } from './files/host-attachments.ts';
import { closeServer, createHttpServer, listen } from './http/listen.ts';
import { addRoutes } from './http-routes.ts';
import type { GatewayDeps } from './ports/gateway-deps.ts';
import { messageCounts, openProject } from './projects/open-project.ts';
import { ProjectRouter } from './projects/project-router.ts';
import { Projects } from './projects/projects.ts';
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
  const others = deps.projects ?? [];
  const scopes = [deps.scope, ...others.map((each) => each.scope)];
  const authenticate = createAuthenticate(deps.auth, { served: scopes, home: deps.scope, host });
  const files = openAttachmentServices(deps, scope);
  const parts = { files, home: deps.scope, host };
  const home = openProject(deps, parts);
  const served = others.map((own) => ({ ...deps, surfaces: [], ...own }));
  const projects = new Projects(
    home,
    served.map((own) => openProject(own, parts)),
  );
  const { intake } = home;
  const closing = new AbortController();
  const router = new ProjectRouter(projects, { authenticate, closing: closing.signal });
  const http = createHttpServer((request, env) => router.answer(request, env as HttpBindings));
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
      ...{ projects, authenticate, handshake, anonymous, origins },
      enter: () => deps.presence?.enter(),
    }),
  );
  scope.defer(() => closing.abort());
  const metrics = () => ({
    sockets: sockets.connected,
    subscriptions: sockets.subscriptions,
    anonymous_connections: anonymous.size,
    ...deps.metrics?.(),
    ...messageCounts(projects.all.map((each) => each.intake)),
  });
  const anonymousLimit = new AnonymousLimit(deps.clock, deps.limits?.anonymousPerHour);
  for (const [index, project] of projects.all.entries()) {
    const own = served[index - 1] ?? deps;
    const surfaces = (own.surfaces ?? []).map((each) =>
      openSurface(own, { served: each, intake: project.intake }, scope),
    );
    const shared = { ...files, anonymousLimit, originGuard, anonymous, metrics, scopes };
    addRoutes(project.app, { ...shared, ...project, surfaces, closing: closing.signal });
  }
  const bound = await listen(http, { host, port });
  const name = host.includes(':') ? `[${host}]` : host;
  const close = () => scope[Symbol.asyncDispose]();
  return { port: bound, url: `http://${name}:${bound}`, [Symbol.asyncDispose]: close };
}
