import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
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
  const s3 = new S3Client({
    endpoint: env['AWS_ENDPOINT_URL_S3'] ?? '',
    forcePathStyle: true,
    region: credentials.AWS_REGION,
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  });
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'desk' }));
  s3.destroy();
  expect(Contents.map(({ Size }) => Size)).toContain(data.length);
  expect(Contents.every(({ Key }) => Key?.startsWith('acme/'))).toBe(true);
});
