import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../../base/log.ts';
import {
  type EgressPolicy,
  type EgressProxy,
  egressSocket,
} from '../../engine/ports/agent-sandbox.ts';
import { createGate } from './allowed-hosts.ts';
import { forwardRequest, openTunnel } from './forward.ts';
import { egressConnectionsMax, egressIdleMsMax } from './limits.ts';
import { toModel } from './model-route.ts';

/**
 * The way out of a sandbox, a proxy on a Unix socket. It reaches only allowed hosts at public addresses, and adds the keys of
 * models to requests, which the program therefore does not need.
 */
export function createEgressProxy({ log }: { readonly log: Log }): EgressProxy {
  return { open: (folder, policy) => openEgress(folder, policy, log) };
}

async function openEgress(
  folder: string,
  policy: EgressPolicy,
  log: Log,
): Promise<AsyncDisposable> {
  const gate = createGate(policy);
  const server = createServer((request, response) => {
    const model = toModel(request.url ?? '', policy.models);
    if (model) void forwardRequest(request, response, { ...model, refused });
    else void forwardRequest(request, response, { gate, refused });
  });
  const refused = (host: string) => log.info('egress refused', { host });
  const open = new Set<Socket>();
  server.maxConnections = egressConnectionsMax;
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    open.add(socket);
    socket.setTimeout(egressIdleMsMax, () => socket.destroy());
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.on('connect', (request, socket, head) => {
    openTunnel(request.url ?? '', { socket, head, gate, refused });
  });
  const path = join(folder, egressSocket);
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  // The folder decides who may reach it.
  await chmod(path, 0o666);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
