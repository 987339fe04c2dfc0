import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Duplex, duplexPair, PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FromTask, type ToTask } from '../../../../runtime/adapters/fargate/queue/messages.ts';
import { S3Queue } from '../../../../runtime/adapters/fargate/queue/s3-queue.ts';
import type { KeeperClient } from '../../../../runtime/adapters/fargate/task/keeper-client.ts';
import { serveTask } from '../../../../runtime/adapters/fargate/task/serve-task.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';
import { encodeFrame } from '../../../../supervisor/protocol/frame.ts';
import { protocolVersion } from '../../../../supervisor/protocol/messages.ts';
import { outputCharsMax, outputEndChars } from '../../../../supervisor/report/limits.ts';
import { containing } from '../../../tools/matchers.ts';
import { type Bucket, openBucket } from './bucket.ts';

// proves: exec.fargate-task

const folder = 'executions/cell-1';
const never = new Promise<never>(() => undefined);
const keeper: KeeperClient = { full: never, lost: never, unlock: async () => undefined };
const hello = encodeFrame({ type: 'hello', version: protocolVersion });

type Executor = {
  readonly end: Duplex;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
};

let bucket: Bucket;
let stop: AbortController;
let letters: AsyncGenerator<FromTask>;
let come: (executor: Executor) => void;
let served: Promise<void>;
let runtime: S3Queue<ToTask, FromTask>;

/** Of a file that the bucket begins to give and never does. */
const slow = `sha256:${'5'.repeat(64)}`;

/** A task whose executor is still to come, and the runtime that has ordered it. */
beforeEach(async () => {
  bucket = openBucket();
  stop = new AbortController();
  const { signal } = stop;
  const key = randomBytes(32);
  const way = { objects: bucket, folder, key, signal };
  runtime = new S3Queue<ToTask, FromTask>({ ...way, side: 'runtime', receives: FromTask });
  await runtime.send({ type: 'welcome' });
  letters = runtime.receive();
  const arrived = new Promise<Executor>((resolve) => {
    come = resolve;
  });
  const executor = arrived.then(({ end, ...output }) => ({ stream: end, output }));
  const facts = { bucket: '', prefix: '', endpoint: null, deadlineMs: 0, rooms: [] };
  const payload = { ...facts, folder, key: key.toString('base64') };
  const kept = openMemoryBlobStore();
  const snapshots: BlobStore = {
    put: (...given) => kept.put(...given),
    get: (...given) => kept.get(...given),
    remove: (...given) => kept.remove(...given),
    open: (...given) => (given[1] === slow ? never : kept.open(...given)),
  };
  const parts = { objects: bucket, snapshots, payload, signal };
  served = serveTask({ executor, keeper: async () => keeper }, parts);
  served.catch(() => undefined);
});
afterEach(() => stop.abort());

/** This side of an executor that has connected. */
function connected() {
  const [stream, end] = duplexPair();
  const executor = { end, stdout: new PassThrough(), stderr: new PassThrough() };
  come(executor);
  return { stream, ...executor };
}

async function next(): Promise<FromTask> {
  const found = await letters.next();
  if (found.done === true) throw new Error('there are no more letters');
  return found.value;
}

/** Whatever was to happen on its own has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();
}

const said = () => [...bucket.kept.keys()].filter((key) => key.includes('/from-task/'));

test('a task says that it is there when its executor is: the image of one may come long after the other', async () => {
  await settled();
  expect(said()).toEqual([]);
  connected();
  expect(await next()).toEqual({ type: 'here' });
});

test('a task that nobody comes to ends at its deadline', async () => {
  await settled();
  stop.abort(new Error('deadline'));
  await expect(served).rejects.toThrow('deadline');
});

test('why an executor ended before it was ready is reported before its task ends', async () => {
  const { stream, stdout, stderr } = connected();
  expect(await next()).toEqual({ type: 'here' });
  let ended = false;
  void served.catch(() => {
    ended = true;
  });
  stream.end();
  await settled();
  expect(ended).toBe(false);
  stdout.end();
  stderr.end('launcher: this process is root');
  const bytes = Buffer.from('launcher: this process is root').toString('base64');
  expect(await next()).toEqual({ type: 'output', name: 'stderr', bytes });
  expect(await next()).toEqual({ type: 'gone' });
  await expect(served).rejects.toThrow('EXEC_FAILED');
});

test('an executor that has ended while its keeper was waited for ends its task', async () => {
  const [, end] = duplexPair();
  end.destroy();
  await once(end, 'close');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdout.end();
  stderr.end();
  come({ end, stdout, stderr });
  expect(await next()).toEqual({ type: 'here' });
  expect(await next()).toEqual({ type: 'gone' });
  await expect(served).rejects.toThrow('EXEC_FAILED');
});

test('a flood of output is carried in few letters', async () => {
  const { stream, stdout } = connected();
  stream.write(hello);
  for (let n = 0; n < 256; n += 1) stdout.write(Buffer.alloc(4_096, 'x'));
  let bytes = 0;
  while (bytes < outputCharsMax) {
    const letter = await next();
    if (letter.type === 'output') bytes += Buffer.from(letter.bytes, 'base64').byteLength;
  }
  expect(said().length).toBeLessThan(12);
});

/** Every letter with output until the last one of the task. */
async function printedLetters(): Promise<readonly (FromTask & { type: 'output' })[]> {
  const found: (FromTask & { type: 'output' })[] = [];
  for (let letter = await next(); letter.type !== 'gone'; letter = await next())
    if (letter.type === 'output') found.push(letter);
  return found;
}

// proves: exec.fargate-flood
test('of a flood what is kept is carried, then nothing but its end and how much is missing before it', async () => {
  const { stream, stdout, stderr } = connected();
  stream.write(hello);
  stderr.end();
  const piece = Buffer.from('é'.repeat(500_000));
  for (let n = 0; n < 32; n += 1) if (!stdout.write(piece)) await once(stdout, 'drain');
  stdout.end('last\n');
  stream.end();
  const letters = await printedLetters();
  const text = Buffer.concat(letters.map(({ bytes }) => Buffer.from(bytes, 'base64'))).toString();
  const left = letters.reduce((sum, { left_out = 0 }) => sum + left_out, 0);
  expect(text.slice(0, outputCharsMax)).toBe('é'.repeat(outputCharsMax));
  expect(text.endsWith('élast\n')).toBe(true);
  expect(text.length + left).toBe(32 * 500_000 + 5);
  expect(text.length - outputCharsMax).toBe(outputEndChars);
  const sizes = said().map((key) => bucket.kept.get(key)?.byteLength ?? 0);
  expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThan(3.2 * 1_024 * 1_024);
});

// proves: exec.handles
test('a file on its way holds nothing up, and why one is missing is reported', async () => {
  connected();
  await next();
  const hash = `sha256:${'0'.repeat(64)}`;
  await runtime.send({ type: 'hand', file: { name: '1/a', hash: slow, size: 1 } });
  await runtime.send({ type: 'hand', file: { name: '2/b', hash, size: 1 } });
  expect(await next()).toMatchObject({
    type: 'handed',
    name: '2/b',
    because: containing('BLOB_MISSING'),
  });
  await runtime.send({ type: 'hand', file: { name: '../c', hash, size: 1 } });
  expect(await next()).toMatchObject({
    type: 'handed',
    name: '../c',
    because: containing('EXEC_PROTOCOL'),
  });
});
