import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Balancer = AsyncDisposable & {
  readonly url: string;
  /** Breaks the connections that `chosen` picks, in the middle of whatever they carry. */
  cut(chosen: () => boolean): void;
};

/** Gives each connection to the next of the ports; one that nobody listens at breaks the connection. */
export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let next = 0;
  const server = createServer((client) => {
    const port = ports[next % ports.length] ?? 0;
    next += 1;
    const backend = connect({ host: '127.0.0.1', port });
    const pair = [client, backend] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', end).on('close', end);
    }
    client.pipe(backend);
    backend.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (chosen: () => boolean) => {
    for (const pair of [...pairs]) if (chosen()) for (const socket of pair) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut(() => true);
      server.close();
      await once(server, 'close');
    },
  };
}
