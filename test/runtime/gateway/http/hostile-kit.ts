import http from 'node:http';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { jsonSlowness, threadMs } from '../../../tools/machine-speed.ts';

const MiB = 1024 * 1024;

/** JSON of about this length that is slow to parse or to look through, by what is wrong with it. */
export const hostile: Readonly<Record<string, (bytes: number) => string>> = {
  'nested lists': (bytes) => `{"a":${'['.repeat(bytes)}`,
  'nested objects': (bytes) => '{"a":'.repeat(bytes / 5),
  'empty lists': (bytes) => `{"a":[${'[],'.repeat(bytes / 3)}0]}`,
  'objects of many shapes': (bytes) =>
    `{"a":[${Array.from({ length: bytes / 17 }, (_, n) => `{"key${n}":1}`).join(',')}]}`,
  'escaped quotes': (bytes) => `{"a":"${'\\"'.repeat(bytes / 2)}"}`,
  spaces: (bytes) => `{"a":1${' '.repeat(bytes)}}`,
  digits: (bytes) => `{"a":${'1'.repeat(bytes)}}`,
};

/** As many as the gateway takes, so that its own work shows. */
export const acceptable: Readonly<Record<string, string>> = {
  'as many values as are allowed': `[${Array.from({ length: 16_000 }, (_, n) => `{"k${n}":1}`).join(',')}]`,
  'as many tokens as are allowed': `["${'\\n'.repeat(500_000)}"]`,
  'a long string': JSON.stringify(['A'.repeat(7 * MiB)]),
};

/** Milliseconds of processor time that nothing may keep the event loop from everybody else, on a machine of usual speed. */
const turnMsMax = 100;

/** The better of two tries: what collecting garbage costs differs from time to time. */
export async function isQuick(act: () => Promise<unknown>): Promise<boolean> {
  const tryOnce = async () => {
    const ms = await longestTurnMs(act);
    return ms < turnMsMax || ms < turnMsMax * jsonSlowness();
  };
  return (await tryOnce()) || (await tryOnce());
}

/** Processor time of the longest turn of this thread's event loop while `act` runs. What others do on the machine does not count. */
async function longestTurnMs(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const watch = () => {
    let last = threadMs();
    const look = () => {
      const now = threadMs();
      longest = Math.max(longest, now - last);
      last = threadMs();
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
  };
  watch();
  try {
    await act();
  } finally {
    isOver = true;
  }
  return longest;
}

export type Shot =
  | {
      readonly transport: 'http';
      readonly path: string;
      readonly type: string;
      readonly body: string;
    }
  | { readonly transport: 'websocket'; readonly packets: readonly string[] }
  | { readonly transport: 'polling'; readonly packets: readonly string[]; readonly last: string };

/** Sends from another thread, so that what making it costs does not count. Resolves with what came back at the end. */
export async function fire(url: string, shot: Shot): Promise<string> {
  const worker = new Worker(new URL('./hostile-worker.ts', import.meta.url), {
    workerData: { url, shot },
  });
  try {
    const answer = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    return z.string().parse(answer);
  } finally {
    await worker.terminate();
  }
}

/** The answer to a connection that sends `pieces` as they are, until it is closed. */
export function raw(port: number, pieces: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(answer));
  });
}

export function status(url: string, headers: http.OutgoingHttpHeaders = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
}
