import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { startFauxqs } from 'fauxqs';
import { afterAll, expect, test } from 'vitest';
import { folderOf } from '../../runtime/adapters/fargate/places.ts';
import { reap } from '../../runtime/adapters/fargate/reap.ts';
import { Secrets } from '../../runtime/adapters/fargate/secrets.ts';
import type { FargateSettings } from '../../runtime/adapters/fargate/settings.ts';
import { toTags } from '../../runtime/adapters/fargate/tags.ts';
import { Tasks } from '../../runtime/adapters/fargate/tasks.ts';
import { S3Objects } from '../../runtime/adapters/s3/objects.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { openFargate } from '../../runtime/cli/open-fargate.ts';
import { fakeSecrets } from '../tools/aws/secrets.ts';
import { fakeTasks } from '../tools/aws/tasks.ts';
import { executionsTemplate, taskDefinitionOf } from '../tools/aws/template.ts';
import { startWire } from '../tools/aws/wire.ts';
import { startDocker } from '../tools/docker.ts';
import { execConformance } from './exec-conformance.ts';
import { sandboxParts } from './exec-kit.ts';

// proves: exec.fargate

const scope = new Scope();
const before = { ...process.env };
afterAll(async () => {
  await scope[Symbol.asyncDispose]();
  process.env = before;
});

type Place = {
  readonly settings: FargateSettings;
  readonly s3: string;
  readonly tasks: ReturnType<typeof fakeTasks>;
  readonly secrets: ReturnType<typeof fakeSecrets>;
  readonly objects: () => Promise<readonly string[]>;
};
let place: Place;

execConformance('Fargate', async () => {
  const own = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_REGION: 'eu-central-1' };
  Object.assign(process.env, own);
  const engine = scope.own(await startDocker()).host;
  const env = { ...process.env, DOCKER_HOST: engine };
  await promisify(execFile)(process.execPath, ['deploy/make-fargate-images.mjs'], { env });
  const s3 = await startFauxqs({ port: 0, logger: false, init: { buckets: ['executions'] } });
  scope.defer(() => s3.stop());
  const secrets = fakeSecrets();
  const definition = taskDefinitionOf(executionsTemplate());
  let aws = '';
  const tasks = fakeTasks({
    socketPath: engine.replace('unix://', ''),
    definition,
    env: () => [
      ...Object.entries(own).map(([name, value]) => `${name}=${value}`),
      `AWS_ENDPOINT_URL_SECRETS_MANAGER=${aws}`,
    ],
  });
  const wire = scope.own(await startWire({ ...secrets.operations, ...tasks.operations }));
  aws = wire.url;
  const parts = sandboxParts();
  const settings: FargateSettings = {
    cluster: 'timeloom',
    taskDefinition: definition.Family,
    subnets: ['subnet-1'],
    securityGroups: ['sg-1'],
    bucket: 'executions',
    prefix: 'acme',
    endpoints: { aws, s3: s3.address },
  };
  place = { settings, s3: s3.address, tasks, secrets, objects: () => keysOf(s3.address) };
  const sandbox = await openFargate({ ...parts, settings });
  return { sandbox, blobs: parts.blobs, elsewhere: true };
});

async function keysOf(endpoint: string): Promise<readonly string[]> {
  const client = new S3Client({ endpoint, forcePathStyle: true });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'executions' }));
  client.destroy();
  return Contents.map(({ Key = '' }) => Key);
}

// proves: exec.fargate-clean
test('every task, secret and object of what has run is gone', async () => {
  expect(place.tasks.running()).toEqual([]);
  expect([...place.secrets.kept.keys()]).toEqual([]);
  expect(await place.objects()).toEqual([]);
});

// proves: exec.fargate-reaped
test('what is past its deadline is removed: tasks, secrets and folders; what is not stays', async () => {
  const { settings } = place;
  const bucket = new S3Objects({ bucket: 'executions', prefix: 'acme', endpoint: place.s3 });
  using tasks = new Tasks(settings);
  using secrets = new Secrets(settings);
  const signal = new AbortController().signal;
  const nowMs = Date.now();
  for (const deadlineMs of [nowMs - 3_600_000, nowMs + 3_600_000]) {
    const cell = `cell-${deadlineMs}`;
    const tags = toTags({ cell, owner: 'gone/1', deadlineMs });
    const body = Buffer.from('left');
    const sha256 = createHash('sha256').update(body).digest('hex');
    await bucket.put(`${folderOf(cell, deadlineMs)}/from-task/1`, body, { sha256, signal });
    await secrets.create(`timeloom/executions/${cell}`, 'payload', { tags, signal });
    // No supervisor ever speaks: there is no payload for it.
    await tasks.run({ launch: '{}', memoryMb: 64, variables: {}, tags, cell }, { signal });
  }
  expect(await reap({ tasks, secrets, bucket }, { nowMs, signal })).toBeGreaterThanOrEqual(2);
  const late = `cell-${nowMs + 3_600_000}`;
  expect([...place.secrets.kept.keys()]).toEqual([`timeloom/executions/${late}`]);
  expect(await place.objects()).toEqual([`acme/${folderOf(late, nowMs + 3_600_000)}/from-task/1`]);
  bucket.close();
});
