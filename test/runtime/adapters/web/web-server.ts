import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A web server on a port of the loopback; `url` names it by `localhost`. */
export async function startSite(handle: Handler) {
  const server = createServer((request, response) => {
    void text(request).then((body) => handle(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  return {
    url: `http://localhost:${address.port}`,
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
