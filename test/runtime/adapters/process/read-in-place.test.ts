import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { readInPlace } from '../../../../runtime/adapters/process/read-in-place.ts';
import { patient } from '../../../tools/machine-speed.ts';

const bytes = randomBytes(3_000_000);

/** A process that sends back what it is sent. */
function openEcho(): { child: ChildProcess; stream: Duplex } {
  const child = spawn('sh', ['-c', 'exec cat <&3 >&3'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Duplex)) throw new Error('a pipe is a stream');
  return { child, stream: readInPlace(stream) };
}

async function ended(child: ChildProcess, stream: Duplex): Promise<void> {
  const ends = [once(stream, 'close'), once(child, 'close')];
  stream.end();
  await Promise.all(ends);
}

test('everything received is emitted in order, however often its listener waits, and all of it from the same memory', async () => {
  const { child, stream } = openEcho();
  const chunks: Buffer[] = [];
  const memory = new Set<ArrayBufferLike>();
  let count = 0;
  stream.on('data', (chunk: Buffer) => {
    memory.add(chunk.buffer);
    count += chunk.length;
    if (chunks.length % 3 > 0) {
      chunks.push(Buffer.from(chunk));
      return;
    }
    stream.pause();
    setImmediate(() => {
      chunks.push(Buffer.from(chunk));
      stream.resume();
    });
  });
  stream.write(bytes);
  await vi.waitUntil(() => count === bytes.length, patient(20_000));
  await ended(child, stream);
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  expect(memory.size).toBe(1);
});

test('what comes before anyone listens is kept for who will', async () => {
  const { child, stream } = openEcho();
  for (const end of [1_000, 2_000]) {
    stream.write(bytes.subarray(end - 1_000, end));
    await vi.waitUntil(() => stream.readableLength === end, patient(20_000));
  }
  const chunks: Buffer[] = [];
  let count = 0;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(Buffer.from(chunk));
    count += chunk.length;
  });
  stream.write(bytes.subarray(2_000));
  await vi.waitUntil(() => count === bytes.length, patient(20_000));
  await ended(child, stream);
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
});

test('a stream that is destroyed ends its process, and what it was made of does not hold that', async () => {
  const { child, stream } = openEcho();
  const closed = once(child, 'close');
  stream.destroy();
  await closed;
});

test('a stream of something other than a process is returned unchanged', () => {
  const stream = new Duplex();
  expect(readInPlace(stream)).toBe(stream);
});
