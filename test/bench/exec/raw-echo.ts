import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Language } from '../../../runtime/tools/ports/sandbox.ts';
import { encodeFrame, FrameDecoder } from '../../../supervisor/protocol/frame.ts';

/**
 * What is sent and sent back: bytes that nobody looks at, as they come; the same once all have come, before which no call
 * can be answered; or a text in JSON that both ends read and write.
 */
export type EchoKind = 'bytes' | 'whole' | 'json';

/** A client that sends a message, waits for its answer, and so on. Prints microseconds for each. */
const clients: Readonly<Record<Language, string>> = {
  python: `import asyncio, json, sys, time
path, kind, count, size = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
message = bytes(size)
text = "x" * size
async def main():
    reader, writer = await asyncio.open_unix_connection(path, limit=1 << 24)
    async def of_bytes():
        writer.write(message)
        await reader.readexactly(size)
    async def of_json():
        body = json.dumps({"text": text}).encode()
        writer.write(len(body).to_bytes(4, "big") + body)
        length = int.from_bytes(await reader.readexactly(4), "big")
        json.loads(await reader.readexactly(length))
    turn = of_json if kind == "json" else of_bytes
    for n in range(count // 10): await turn()
    began = time.perf_counter()
    for n in range(count): await turn()
    print((time.perf_counter() - began) * 1e6 / count)
    writer.close()
asyncio.run(main())`,
  javascript: `const [path, kind, ...numbers] = process.argv.slice(1);
const [count, size] = numbers.map(Number);
const client = require('node:net').connect(path);
const [message, text] = [Buffer.alloc(size), 'x'.repeat(size)];
let chunks = [], missing = 0, wake;
client.on('data', (chunk) => { chunks.push(chunk); missing -= chunk.length; if (missing <= 0) wake(); });
const answer = (bytes) => new Promise((r) => { wake = r; missing = bytes; });
const ofBytes = () => { chunks = []; client.write(message); return answer(size); };
const ofJson = async () => {
  const body = Buffer.from('0000' + JSON.stringify({ text }));
  body.writeUInt32BE(body.length - 4);
  chunks = [];
  client.write(body);
  await answer(body.length);
  JSON.parse(Buffer.concat(chunks).toString('utf8', 4));
};
const turn = kind === 'json' ? ofJson : ofBytes;
(async () => {
  for (let n = 0; n < count / 10; n++) await turn();
  const began = performance.now();
  for (let n = 0; n < count; n++) await turn();
  console.log((performance.now() - began) * 1000 / count);
  client.end();
})();`,
};

const servers: Readonly<Record<EchoKind, (socket: Socket, bytes: number) => void>> = {
  bytes: (socket) => void socket.pipe(socket),
  whole: (socket, bytes) => {
    let missing = bytes;
    socket.cork();
    socket.on('data', (chunk) => {
      socket.write(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      socket.uncork();
      socket.cork();
      missing = bytes;
    });
  },
  json: (socket) => {
    const decoder = new FrameDecoder();
    socket.on('data', (chunk) => {
      for (const message of decoder.push(chunk)) socket.write(encodeFrame(message));
    });
  },
};

type Echo = { readonly kind: EchoKind; readonly count: number; readonly bytes: number };

/** Microseconds for one message, one at a time, between a client in this language and a server in this process. */
export async function rawEcho(language: Language, { kind, count, bytes }: Echo): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-bench-'));
  const path = join(folder, 'echo');
  const server = createServer((socket) => servers[kind](socket, bytes)).listen(path);
  await once(server, 'listening');
  try {
    const [command, option] =
      language === 'python' ? ['/usr/bin/python3', '-c'] : [process.execPath, '-e'];
    const argv = [option, clients[language], path, kind, String(count), String(bytes)];
    const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk;
    return Number(text);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}
