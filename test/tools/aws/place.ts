import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import Docker from 'dockerode';
import { startFauxqs } from 'fauxqs';
import { Secrets } from '../../../runtime/adapters/fargate/aws/secrets.ts';
import { Tasks } from '../../../runtime/adapters/fargate/aws/tasks.ts';
import type { ExecutionServices } from '../../../runtime/adapters/fargate/executions/registry.ts';
import type { FargateSettings } from '../../../runtime/adapters/fargate/settings/settings.ts';
import { S3Objects } from '../../../runtime/adapters/s3/objects.ts';
import type { Scope } from '../../../runtime/base/scope.ts';
import { openDocker } from '../services/docker.ts';
import { holdLock } from '../services/lock.ts';
import { openTaskNetwork, type TaskNetwork } from './network.ts';
import { fakeSecrets } from './secrets.ts';
import type { TaskPlace } from './task.ts';
import { type FakeTasks, fakeTasks, inContainers, type StartTask } from './tasks.ts';
import { executionsTemplate, taskDefinitionOf } from './template.ts';
import { startWire, type Wire } from './wire.ts';

/** Everything of AWS that executions need, on this machine. */
export type Aws = {
  readonly settings: FargateSettings;
  readonly wire: Wire;
  readonly tasks: FakeTasks;
  readonly secrets: ReturnType<typeof fakeSecrets>;
  /** Every key in the bucket. */
  readonly objects: () => Promise<readonly string[]>;
  /** Of all that is in it. */
  readonly bytes: () => Promise<number>;
};

const bucket = 'executions';
const family = 'timeloom-execution';

/** The services alone; `start` says what a task is. `host`: as this machine is seen from a task. */
export async function openAws(
  scope: Scope,
  { start, host = '127.0.0.1' }: { start: StartTask; host?: string },
): Promise<Aws> {
  lend(
    { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_REGION: 'eu-central-1' },
    scope,
  );
  const server = await startFauxqs({ port: 0, logger: false, init: { buckets: [bucket] } });
  scope.defer(() => server.stop());
  const s3 = `http://${host}:${server.port}`;
  const secrets = fakeSecrets();
  const tasks = fakeTasks(family, start);
  const wire = scope.own(await startWire({ ...secrets.operations, ...tasks.operations }, host));
  const settings: FargateSettings = {
    cluster: 'timeloom',
    taskDefinition: family,
    subnets: ['subnet-1'],
    securityGroups: ['sg-1'],
    bucket,
    prefix: 'acme',
    endpoints: { aws: wire.url, s3 },
  };
  const objects = async () => (await listed(s3)).map(({ Key = '' }) => Key);
  const bytes = async () => (await listed(s3)).reduce((sum, { Size = 0 }) => sum + Size, 0);
  return { settings, wire, tasks, secrets, objects, bytes };
}

export type Place = Aws & {
  /** Address of the Docker engine that runs the tasks. */
  readonly engine: string;
  readonly network: TaskNetwork;
  readonly task: () => TaskPlace;
};

/** What a reaper of our own needs, closed with the scope. */
export function placesOf({ settings }: Aws, scope: Scope): ExecutionServices {
  const { bucket: name, prefix, endpoints } = settings;
  const objects = new S3Objects({ bucket: name, prefix, endpoint: endpoints?.s3 });
  scope.defer(() => objects.close());
  const [tasks, secrets] = [scope.own(new Tasks(settings)), scope.own(new Secrets(settings))];
  return { tasks, secrets, bucket: objects };
}

/**
 * The services, and tasks of the stack's own definition that run as containers of an engine of our own. One place at a
 * time: the users of tasks share the limits of one machine.
 */
export async function openFargatePlace(scope: Scope): Promise<Place> {
  scope.own(await holdLock('fargate'));
  // Always the same engine, which keeps the images of tasks.
  const engine = scope.own(await openDocker('dockerd-tasks')).host;
  const env = { ...process.env, DOCKER_HOST: engine };
  await promisify(execFile)(process.execPath, ['deploy/images/make-fargate-images.mjs'], { env });
  const socketPath = engine.replace('unix://', '');
  const network = await openTaskNetwork(socketPath, scope);
  const docker = new Docker({ socketPath });
  const definition = taskDefinitionOf(await executionsTemplate());
  const task = (): TaskPlace => ({
    docker,
    definition,
    network: network.mode,
    // The task finds the services where its network has them; who it is, it asks as in AWS.
    env: [...network.env, `AWS_ENDPOINT_URL_SECRETS_MANAGER=${aws.wire.url}`],
  });
  const aws: Aws = await openAws(scope, { start: inContainers(task), host: network.host });
  return { ...aws, engine, network, task };
}

/** To this process, until the scope is closed. */
function lend(env: Readonly<Record<string, string>>, scope: Scope): void {
  const before = { ...process.env };
  Object.assign(process.env, env);
  scope.defer(() => {
    process.env = before;
  });
}

async function listed(endpoint: string) {
  const client = new S3Client({ endpoint, forcePathStyle: true });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  client.destroy();
  return Contents;
}
