import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FrameWriter } from '../../../supervisor/connection/frame-writer.ts';
import { FrameDecoder } from '../../../supervisor/protocol/frame.ts';
import {
  resultBytesMax,
  unreadBytesMax,
  unreadMsMax,
} from '../../../supervisor/protocol/limits.ts';

// proves: exec.frames

let folder: string;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'timeloom-outgoing-'));
  server = createServer({ pauseOnConnect: true }).listen(join(folder, 'stream'));
  await once(server, 'listening');
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Two ends of one socket, of which the second does not read until it is asked to. */
async function pair(): Promise<{ writes: Socket; reads: Socket }> {
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const writes = connect(join(folder, 'stream'));
  return { writes, reads: await connected };
}

test.each([true, false])(
  'what is sent while others wait to be read leaves what they say alone (alone: %s)',
  async (alone) => {
    const { writes, reads } = await pair();
    const out = new FrameWriter(writes);
    const texts = ['a', 'é', 'b', 'c', 'd'].map((part, n) => part.repeat(100_000 * (5 - n)));
    const results = Array.from({ length: 20 }, (_, n) => `${texts[n % texts.length]}${n}`);
    const sent: (Promise<void> | undefined)[] = [];
    for (const [n, result] of results.entries()) {
      sent.push(out.sendResult(String(n), result, { alone }));
      // Some in one go, others one after the other.
      if (n % 3 === 0) await new Promise(setImmediate);
    }
    const seen: unknown[] = [];
    const decoder = new FrameDecoder({ bytesMax: resultBytesMax });
    for await (const chunk of reads) {
      seen.push(...decoder.push(chunk));
      if (seen.length === results.length) break;
    }
    expect(seen).toEqual(results.map((result, n) => ({ type: 'result', id: String(n), result })));
    for (const each of sent) await each;
    writes.destroy();
  },
);

test('a slow reader keeps the sender waiting', async () => {
  const { writes, reads } = await pair();
  const out = new FrameWriter(writes);
  let left = false;
  const sent = out.sendResult('1', 'x'.repeat(4_000_000), { alone: true })?.then(() => {
    left = true;
  });
  await new Promise(setImmediate);
  expect(left).toBe(false);
  reads.resume();
  await sent;
  writes.destroy();
});

// proves: exec.budget
test('a stream is closed if its reader leaves large results unread, but not if it reads slowly', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    const { writes, reads } = await pair();
    const out = new FrameWriter(writes);
    const large = 'x'.repeat(unreadBytesMax / 2);
    const slow = [1, 2, 3].map((n) => out.sendResult(String(n), large));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(unreadMsMax - 1);
    reads.resume();
    await slow.at(-1);
    reads.pause();
    const [error] = [once(writes, 'error')];
    const left = [1, 2, 3].map((n) => out.sendResult(String(n), large));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(2 * unreadMsMax);
    expect(await error).toMatchObject([{ code: 'EXEC_PROTOCOL' }]);
    for (const each of left) await each;
  } finally {
    vi.useRealTimers();
  }
});
