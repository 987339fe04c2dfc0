import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openS3BlobStore } from '../../runtime/adapters/s3/blob-store.ts';
import { abandonedMs, wholeBytesMax } from '../../runtime/adapters/s3/limits.ts';
import { S3Objects } from '../../runtime/adapters/s3/objects.ts';
import { blobStoreContract } from './blob-store.ts';

const signal = new AbortController().signal;
const bucket = 'blobs';
const before = { ...process.env };
let server: FauxqsServer;

beforeAll(async () => {
  const own = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_REGION: 'eu-central-1' };
  Object.assign(process.env, own);
  server = await startFauxqs({ port: 0, logger: false, init: { buckets: [bucket] } });
});
afterAll(async () => {
  await server.stop();
  process.env = before;
});

function place() {
  return { bucket, prefix: 'acme/ops', endpoint: server.address };
}

blobStoreContract(
  'a bucket that speaks S3',
  () => openS3BlobStore(place(), { signal }),
  async () => {
    const other = await startFauxqs({ port: 0, logger: false, init: { buckets: [bucket] } });
    const store = await openS3BlobStore({ ...place(), endpoint: other.address }, { signal });
    return { store, breakDown: () => other.stop() };
  },
);

test('a blob larger than memory should hold goes up in parts and comes back whole', async () => {
  await using store = await openS3BlobStore(place(), { signal });
  const chunk = Buffer.alloc(1_000_000, 'timeloom ');
  const count = Math.ceil((2.5 * wholeBytesMax) / chunk.length);
  const hash = createHash('sha256');
  for (let index = 0; index < count; index += 1) hash.update(chunk);
  const ref = await store.put('t', repeated(chunk, count), { signal });
  expect(ref).toEqual({ hash: `sha256:${hash.digest('hex')}`, size: count * chunk.length });
  const { size, stream } = await store.open('t', ref.hash, { signal });
  expect(size).toBe(ref.size);
  expect(await hashOf(stream)).toBe(ref.hash);
  expect((await keys()).filter((key) => key.includes('incoming'))).toEqual([]);
});

// proves: blobs.ranges
test('a small range of a large blob costs a small answer', async () => {
  const relay = await openRelay(Number(new URL(server.address).port));
  await using store = await openS3BlobStore({ ...place(), endpoint: relay.address }, { signal });
  const { hash } = await store.put('t', Buffer.alloc(4_000_000, 'timeloom '), { signal });
  const before = relay.answered();
  const range = { start: 2_000_000, end: 2_000_009 };
  const { stream } = await store.open('t', hash, { signal, range });
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe('meloom ti');
  expect(relay.answered() - before).toBeLessThan(10_000);
  await relay.close();
});

test('a large blob whose source fails, or that is stopped, leaves nothing', async () => {
  await using store = await openS3BlobStore(place(), { signal });
  const known = await keys();
  const chunk = Buffer.alloc(1_000_000, 7);
  const broken = new Error('source broke');
  await expect(store.put('t', failing(chunk, broken), { signal })).rejects.toBe(broken);
  const bytesMax = 2 * wholeBytesMax;
  const tooLarge = { name: 'Refusal', code: 'too_large' };
  await expect(store.put('t', repeated(chunk, 40), { signal, bytesMax })).rejects.toMatchObject(
    tooLarge,
  );
  const stop = new AbortController();
  const stopped = store.put('t', stopping(chunk, stop), { signal: stop.signal });
  await expect(stopped).rejects.toThrow('enough');
  expect(await keys()).toEqual(known);
});

test('what a crash left of a large blob is removed when a store is opened a day later', async () => {
  const objects = new S3Objects(place());
  const leave = async (name: string) => {
    const sha256 = createHash('sha256').update('half').digest('hex');
    await objects.put(`incoming/${name}`, Buffer.from('half'), { sha256, signal });
  };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - abandonedMs - 60_000 });
  await leave('torn');
  vi.useRealTimers();
  await leave('in-flight');
  await using _ = await openS3BlobStore(place(), { signal });
  const { entries } = await objects.entries('incoming', { max: 9, signal });
  expect(entries.map(({ key }) => key)).toEqual(['incoming/in-flight']);
  await objects.remove('incoming/in-flight');
  objects.close();
});

test('a missing bucket is reported at the start, with its name', async () => {
  const opening = openS3BlobStore({ ...place(), bucket: 'nowhere' }, { signal });
  await expect(opening).rejects.toMatchObject({ code: 'BLOBS_UNAVAILABLE' });
  await expect(opening).rejects.toThrow('s3://nowhere');
});

test('a service that does not answer is reported, not waited for', async () => {
  const opening = openS3BlobStore({ ...place(), endpoint: 'http://127.0.0.1:9' }, { signal });
  await expect(opening).rejects.toMatchObject({ code: 'BLOBS_UNAVAILABLE', kind: 'transient' });
});

/** Passes connections on to a port, and counts the bytes that come back. */
async function openRelay(port: number) {
  let count = 0;
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    upstream.on('data', ({ length }) => {
      count += length;
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const at = relay.address();
  const address = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    relay.close();
    await once(relay, 'close');
  };
  return { address, close, answered: () => count };
}

/** Everything that takes room in the bucket: objects, and parts that belong to none. */
async function keys(): Promise<readonly string[]> {
  const client = new S3Client({ endpoint: server.address, forcePathStyle: true });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  client.destroy();
  return [...Contents, ...Uploads].map(({ Key = '' }) => Key).toSorted();
}

async function* repeated(chunk: Uint8Array, count: number): AsyncIterable<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield chunk;
}

async function* failing(chunk: Uint8Array, error: Error): AsyncIterable<Uint8Array> {
  yield* repeated(chunk, 20);
  throw error;
}

async function* stopping(chunk: Uint8Array, stop: AbortController): AsyncIterable<Uint8Array> {
  yield* repeated(chunk, 20);
  stop.abort(new Error('enough'));
  yield chunk;
}

async function hashOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of stream) hash.update(part);
  return `sha256:${hash.digest('hex')}`;
}
