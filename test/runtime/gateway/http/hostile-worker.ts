import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import type { Shot } from './hostile-kit.ts';

const Opened = z.object({ sid: z.string() });

const { url, shot } = z.object({ url: z.string(), shot: z.custom<Shot>() }).parse(workerData);

async function run(): Promise<string> {
  if (shot.transport === 'http') {
    const { path, type, body } = shot;
    const init = { method: 'POST', body, headers: { 'content-type': type } };
    const response = await fetch(new URL(path, url), init);
    return `${response.status} ${(await response.text()).slice(0, 300)}`;
  }
  return shot.transport === 'websocket' ? await speak(shot.packets) : await poll(shot);
}

/** Each packet after the server has said something to the one before it. What it says to the last, or that it closed. */
function speak(packets: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`,
    );
    const left = [...packets];
    socket.addEventListener('message', ({ data }) => {
      if (String(data) === '2') return;
      const next = left.shift();
      if (next === undefined) {
        resolve(String(data).slice(0, 300));
        socket.close();
      } else socket.send(next);
    });
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', ({ code }) => resolve(`closed ${code}`));
  });
}

async function poll({ packets, last }: Extract<Shot, { transport: 'polling' }>): Promise<string> {
  const at = `${url}/socket.io/?EIO=4&transport=polling`;
  const opened = Opened.parse(JSON.parse((await (await fetch(at)).text()).slice(1)));
  const session = `${at}&sid=${opened.sid}`;
  for (const packet of packets) {
    await fetch(session, { method: 'POST', body: packet });
    await (await fetch(session)).text();
  }
  const answer = await fetch(session, { method: 'POST', body: last });
  return String(answer.status);
}

try {
  parentPort?.postMessage(await run());
} catch (error) {
  parentPort?.postMessage(`failed ${String(error).slice(0, 200)}`);
}
