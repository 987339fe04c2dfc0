import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Names that differ between a suite of tests and the server, in both directions. Nothing else is changed. */
export type Renaming = { toServer(text: string): string; toClient(text: string): string };

/** Forwards to the server at `url` and renames in bodies and headers. */
export async function openRenamingProxy(url: string, names: Renaming) {
  const target = new URL(url);
  const proxy = createServer((asked, answer) => {
    forward(asked, answer, { target, names }).catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

type Forwarding = { readonly target: URL; readonly names: Renaming };

async function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  { target, names }: Forwarding,
): Promise<void> {
  const body = names.toServer(await text(asked));
  const headers = Object.fromEntries(
    Object.entries(asked.headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? names.toServer(value) : value,
    ]),
  );
  delete headers['content-length'];
  const sent = request(target, { method: asked.method, headers }, (given) => {
    const { 'content-length': _, ...rest } = given.headers;
    answer.writeHead(given.statusCode ?? 500, rest);
    answer.flushHeaders();
    given.pipe(renamed(names)).pipe(answer);
  });
  sent.on('error', () => answer.destroy());
  answer.on('close', () => sent.destroy());
  sent.end(body);
}

/** Line by line, so that no name is cut in two. */
function renamed(names: Renaming): Transform {
  let rest = '';
  return new Transform({
    decodeStrings: false,
    encoding: 'utf8',
    transform(piece: Buffer | string, _encoding, done) {
      const lines = (rest + piece.toString()).split('\n');
      rest = lines.pop() ?? '';
      done(null, lines.map((line) => `${names.toClient(line)}\n`).join(''));
    },
    flush: (done) => done(null, names.toClient(rest)),
  });
}
