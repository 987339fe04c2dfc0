import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { startServe } from '../../tools/serve.ts';

const scope = new Scope();
const credentials = {
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'key',
  AWS_REGION: 'eu-central-1',
};
let env: Record<string, string> = {};

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-s3-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const s3 = await startFauxqs({ port: 0, logger: false, init: { buckets: ['desk'] } });
  scope.defer(() => s3.stop());
  const script = join(dir, 'script.yaml');
  await writeFile(script, '- { answer: "Read." }\n');
  env = {
    ...credentials,
    AWS_ENDPOINT_URL_S3: s3.address,
    TIMELOOM_BLOBS: 's3://desk/acme',
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${script}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'off',
  };
});
afterAll(() => scope[Symbol.asyncDispose]());

function openBucket() {
  const s3 = new S3Client({
    endpoint: env['AWS_ENDPOINT_URL_S3'] ?? '',
    forcePathStyle: true,
    region: credentials.AWS_REGION,
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  });
  const Bucket = 'desk';
  return {
    objects: async () => (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents ?? [],
    unfinished: async () =>
      (await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? [],
    [Symbol.dispose]: () => s3.destroy(),
  };
}

// proves: topology.s3-blobs
test('a file sent to a server whose blobs are in a bucket goes there and comes back', async () => {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const data = Buffer.alloc(300_000, 'month,rain\nJan,140\n');
  const attachments = [{ name: 'rain.csv', mime: 'text/csv', data }];
  const turn = await client.conversation().send('Read this', { attachments });
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Read.' });
  const back = await client.fetch(`fi:${turn.id}.user.attachments/rain.csv`);
  expect(Buffer.from(await back.arrayBuffer()).equals(data)).toBe(true);
  using s3 = openBucket();
  const Contents = await s3.objects();
  expect(Contents.map(({ Size }) => Size)).toContain(data.length);
  expect(Contents.every(({ Key }) => Key?.startsWith('acme/'))).toBe(true);
});

// proves: uploads.s3
test('a file that is uploaded in pieces goes to the bucket in parts, and is attached whole', async () => {
  const data = Buffer.alloc(9.5 * 1_048_576, 'month,rain\nJan,140\nFeb,90\n');
  const user = { 'x-timeloom-user': 'ann' };
  let id = '';
  const send = async (url: string, from: number, to: number) => {
    const headers = {
      ...{ ...user, 'content-type': 'application/offset+octet-stream' },
      'upload-offset': String(from),
    };
    const body = data.subarray(from, to);
    return (await fetch(`${url}/api/uploads/${id}`, { method: 'PATCH', headers, body })).status;
  };
  {
    await using server = await startServe(env);
    const headers = { ...user, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'rain.csv', mime: 'text/csv', size: data.length });
    const begun = await fetch(`${server.url}/api/uploads`, { method: 'POST', headers, body });
    ({ upload_id: id } = (await begun.json()) as { upload_id: string });
    expect(await send(server.url, 0, 4_000_000)).toBe(204);
  }
  // Another process goes on with it.
  await using server = await startServe(env);
  expect(await send(server.url, 4_000_000, data.length)).toBe(204);
  await using client = connect({ url: server.url, user: 'ann' });
  const sent = await fetch(`${server.url}/api/chat/dev/dev/messages?wait=answer`, {
    method: 'POST',
    headers: { ...user, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Read this', attachments: [{ name: 'rain.csv', upload_id: id }] }),
  });
  const answer = (await sent.json()) as { conversation_id: string; turn_id: string };
  const path = `fi:${answer.conversation_id}.${answer.turn_id}.user.attachments/rain.csv`;
  const back = await client.fetch(path);
  expect(Buffer.from(await back.arrayBuffer()).equals(data)).toBe(true);
  using s3 = openBucket();
  const objects = await s3.objects();
  expect(objects.filter(({ Size }) => Size === data.length)).toHaveLength(1);
  expect(objects.filter(({ Key }) => Key?.includes('incoming/'))).toEqual([]);
  expect(await s3.unfinished()).toEqual([]);
});
