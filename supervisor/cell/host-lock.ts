import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Takes a lock that only one process of the machine can hold and that is free again the moment its
 * holder dies: an abstract Unix socket. Undefined: another process holds it.
 */
export async function takeHostLock(name: string): Promise<AsyncDisposable | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(`\0timeloom-${name}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  server.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
