import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import type { Scope } from '../../../runtime/base/scope.ts';

const run = promisify(execFile);

/** Addresses of a task's network that something answers at, beside its own. */
const answered = ['169.254.170.2/32', '169.254.169.254/32', '10.0.0.1/32', '8.8.8.8/32'];
const answered6 = 'fd00:ec2::254/128';
const loopbackPort = 8_081;

/** What a task's containers share, as one of the service does. */
export type TaskNetwork = {
  /** As Docker's NetworkMode. */
  readonly mode: string;
  /** This machine, seen from there. */
  readonly host: string;
  /** What the service puts into the environment of every container of a task. */
  readonly env: readonly string[];
  /** Part of the path at which the credentials of the task role are served, and of nothing else. */
  readonly secret: string;
  readonly port: number;
  readonly abstract: string;
};

/**
 * A network that leads to this machine, with the endpoints a task has (metadata and credentials at their addresses of
 * AWS) and listeners on everything that a program might try. All tasks of one place share it: more open than AWS, where
 * each has its own.
 */
export async function openTaskNetwork(socketPath: string, scope: Scope): Promise<TaskNetwork> {
  const holder = await holdNamespace(new Docker({ socketPath }), scope);
  const host = await wire(holder);
  const secret = randomUUID();
  const abstract = `timeloom-task-${secret}`;
  const credentials = `/v2/credentials/${secret}`;
  await listen(holder, { credentials, role, port: loopbackPort, abstract }, scope);
  const env = [
    'AWS_REGION=eu-central-1',
    `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=${credentials}`,
    `ECS_CONTAINER_METADATA_URI_V4=http://169.254.170.2/v4/${secret}`,
  ];
  return { mode: `container:${holder.container}`, host, env, secret, port: loopbackPort, abstract };
}

const role = {
  AccessKeyId: 'task-role',
  SecretAccessKey: 'of the task role',
  Token: 'token',
  Expiration: '2099-01-01T00:00:00Z',
};

type Holder = { readonly container: string; readonly number: number };

/** A container that does nothing but keep a network alive. */
async function holdNamespace(docker: Docker, scope: Scope): Promise<Holder> {
  const container = await docker.createContainer({
    Image: 'timeloom-base:bookworm',
    Cmd: ['sleep', 'infinity'],
    HostConfig: {
      NetworkMode: 'none',
      Sysctls: Object.fromEntries(
        ['all', 'default', 'lo'].map((name) => [`net.ipv6.conf.${name}.disable_ipv6`, '0']),
      ),
    },
  });
  scope.defer(async () => container.remove({ force: true }));
  await container.start();
  const { State } = await container.inspect();
  return { container: container.id, number: State.Pid };
}

/** A cable from here into the namespace; it goes with either end. Returns our address. */
async function wire({ number }: Holder): Promise<string> {
  const [ours, theirs] = ['0', '1'].map((end) => `tl${randomBytes(4).toString('hex')}${end}`);
  const [second, third] = [randomInt(64, 128), randomInt(256)];
  const address = (last: number) => `100.${second}.${third}.${last}`;
  const ip = (line: string) => run('ip', line.split(' '));
  const inside = (line: string) =>
    run('nsenter', [`--net=/proc/${number}/ns/net`, 'ip', ...line.split(' ')]);
  await ip(`link add ${ours} type veth peer name ${theirs} netns ${number}`);
  await ip(`address add ${address(1)}/30 dev ${ours}`);
  await ip(`link set ${ours} up`);
  await inside(`link set ${theirs} name eth0`);
  await inside(`address add ${address(2)}/30 dev eth0`);
  await inside('link set eth0 up');
  await inside(`route add default via ${address(1)}`);
  for (const each of answered) await inside(`address add ${each} dev lo`);
  await inside(`-6 address add ${answered6} dev lo nodad`);
  return address(1);
}

async function listen({ number }: Holder, said: unknown, scope: Scope): Promise<void> {
  const script = join(import.meta.dirname, 'network.py');
  const argv = [`--net=/proc/${number}/ns/net`, '/usr/bin/python3', script, JSON.stringify(said)];
  const listener = spawn('nsenter', argv, { stdio: ['pipe', 'pipe', 'pipe'] });
  const failure = text(listener.stderr);
  const ended = once(listener, 'exit');
  scope.defer(async () => {
    listener.stdin.end();
    await ended;
  });
  const first = await Promise.race([once(listener.stdout, 'data'), ended]);
  if (String(first[0]).trim() !== 'listening')
    throw new Error(`no network of tasks: ${await failure}`);
}
