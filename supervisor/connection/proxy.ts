import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../runtime/base/clock.ts';
import { protocolVersion } from '../protocol/messages.ts';
import { RuntimeLink } from './runtime-link.ts';
import { serveExecutor } from './serve-executor.ts';

/** Connects an executor to the runtime and checks the executor's messages, until the runtime closes its stream. */
export async function proxyExecutor({
  executor: socket,
  runtime,
}: {
  executor: Duplex;
  runtime: Duplex;
}): Promise<void> {
  const upstream = new RuntimeLink(runtime);
  const executor = serveExecutor(socket);
  const { signal } = new AbortController();
  const options = { host: upstream, clock, signal, emit: () => undefined };
  executor.ended.catch((error: unknown) => upstream.send(toViolation(error)));
  await executor.ready;
  await upstream.send({ type: 'hello', version: protocolVersion });
  await upstream.follow({
    start: (start) => executor.start(start, options),
    cancel: () => executor.cancel(),
  });
}

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, { signal }) => setTimeout(ms, undefined, { signal }),
};

/** The first connection is the launcher: no other process has this directory, and the program has no sockets. */
export async function acceptExecutor(path: string): Promise<Socket> {
  // The executor runs as another user.
  process.umask(0);
  const server = createServer();
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
  server.listen(path);
  await once(server, 'listening');
  const socket = await connected;
  server.close();
  return socket;
}

function toViolation(error: unknown) {
  const because = error instanceof Error ? error.message : String(error);
  return { type: 'violation', because: because.slice(0, 1_000) } as const;
}
