import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cutMs } from '../../../../tools/runs.ts';

const program = join(import.meta.dirname, '../../../../tools/cutting-proxy.mjs');

/** A proxy in a process of its own, which cuts each connection to the server after `cutMs`. `stop` returns how many it cut. */
export async function openCuttingProxy(server: string) {
  const { port } = new URL(server);
  const proxy = spawn(process.execPath, [program, port, String(cutMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: proxy.stdout })[Symbol.asyncIterator]();
  const own = await lines.next();
  const exited = once(proxy, 'exit');
  const stop = async () => {
    proxy.kill();
    const cuts = await lines.next();
    await exited;
    return Number(cuts.value);
  };
  return {
    url: `http://127.0.0.1:${own.value}`,
    stop,
    [Symbol.asyncDispose]: async () => void proxy.kill(),
  };
}
