import { Duplex } from 'node:stream';
import { warmUpJit } from './connection/jit-warmup.ts';
import { acceptExecutor, proxyExecutor } from './connection/proxy.ts';

/**
 * The supervisor as a separate program between an executor on a Unix socket (the path is the
 * only argument) and the runtime on standard input and output. It runs until the runtime closes
 * its stream, because its container holds the executor's files.
 */
async function main(path: string): Promise<void> {
  const runtime = Duplex.from({ readable: process.stdin, writable: process.stdout });
  const [executor] = await Promise.all([acceptExecutor(path), warmUpJit()]);
  await proxyExecutor({ executor, runtime });
}

const [, , path] = process.argv;
if (path === undefined) {
  console.error('usage: supervisor SOCKET');
  process.exit(64);
}
await main(path);
process.exit(0);
