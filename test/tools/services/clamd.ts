import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** Clamd's `INSTREAM` and `PING`, by its manual, on a port of the loopback: finds whatever holds `virus`. */
export async function startClamd(answer: (file: Buffer) => string | undefined = verdict) {
  const server = createServer((socket) => void serve(socket, answer).catch(() => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  const { port } = address;
  return {
    host: '127.0.0.1',
    port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

function verdict(file: Buffer): string {
  return file.includes('virus') ? 'stream: Test.Virus FOUND' : 'stream: OK';
}

async function serve(socket: Socket, answer: (file: Buffer) => string | undefined): Promise<void> {
  const command = 'zINSTREAM\0';
  const ping = Buffer.from('zPING\0');
  let held = Buffer.alloc(0);
  for await (const chunk of socket) {
    held = Buffer.concat([held, Buffer.from(chunk)]);
    if (held.equals(ping)) socket.end('PONG\0');
    const file = fileOf(held.subarray(command.length));
    if (!file) continue;
    const said = held.toString('latin1', 0, command.length) === command ? answer(file) : 'UNKNOWN';
    if (said === undefined) return;
    socket.end(`${said}\0`);
    return;
  }
}

/** Undefined: it is not whole. */
function fileOf(framed: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 4 <= framed.length; ) {
    const size = framed.readUInt32BE(at);
    if (size === 0) return Buffer.concat(pieces);
    pieces.push(framed.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return undefined;
}
