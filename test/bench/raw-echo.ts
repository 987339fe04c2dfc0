import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Language } from '../../runtime/tools/sandbox.ts';

/** A client that sends so many bytes, waits for as many, and so on. Prints microseconds for each turn. */
const clients: Readonly<Record<Language, string>> = {
  python: `import asyncio, sys, time
path, count, size = sys.argv[1], *map(int, sys.argv[2:])
async def main():
    reader, writer = await asyncio.open_unix_connection(path)
    async def turn():
        writer.write(bytes(size))
        await reader.readexactly(size)
    for n in range(count // 10): await turn()
    began = time.perf_counter()
    for n in range(count): await turn()
    print((time.perf_counter() - began) * 1e6 / count)
    writer.close()
asyncio.run(main())`,
  javascript: `const [path, count, size] = process.argv.slice(1).map((a, n) => n ? Number(a) : a);
const client = require('node:net').connect(path);
let missing = 0, wake;
client.on('data', (chunk) => { missing -= chunk.length; if (missing <= 0) wake(); });
const turn = () => new Promise((r) => { wake = r; missing = size; client.write(Buffer.alloc(size)); });
(async () => {
  for (let n = 0; n < count / 10; n++) await turn();
  const began = performance.now();
  for (let n = 0; n < count; n++) await turn();
  console.log((performance.now() - began) * 1000 / count);
  client.end();
})();`,
};

type Echo = { readonly count: number; readonly bytes: number };

/** Microseconds for one message, one at a time, over a bare Unix socket whose server sends back what it gets. */
export async function rawEcho(language: Language, { count, bytes }: Echo): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-bench-'));
  const path = join(folder, 'echo');
  const server = createServer((socket) => void socket.pipe(socket)).listen(path);
  await once(server, 'listening');
  try {
    const [command, option] =
      language === 'python' ? ['/usr/bin/python3', '-c'] : [process.execPath, '-e'];
    const argv = [option, clients[language], path, String(count), String(bytes)];
    const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk;
    return Number(text);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}
