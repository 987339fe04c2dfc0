import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startFauxqs } from 'fauxqs';
import { Scope } from '../../runtime/base/scope.ts';
import { connect } from '../../runtime/client/index.ts';
import { startDocker } from '../tools/services/docker.ts';
import { freePort, startPostgres, startRedis } from '../tools/services/services.ts';
import { type ComposeService, deployFolder, serviceOf } from './compose.ts';

// proves: deploy.server-image

/**
 * Builds the images of deploy/server.Dockerfile on an engine of its own and runs the server as deploy/compose.yaml does,
 * on Postgres, Redis and S3 of this machine. A token gets in, and a program runs in Docker. Debian of this machine stands
 * in for the image from a registry: root, debootstrap and npm's registry are enough. Ends with 1 when anything fails.
 */
async function main(): Promise<void> {
  await using scope = new Scope();
  const engine = scope.own(await startDocker());
  const docker = (...args: readonly string[]) =>
    execFileSync('docker', args, {
      encoding: 'utf8',
      env: { ...process.env, DOCKER_HOST: engine.host, DOCKER_BUILDKIT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-image-'));
  scope.defer(async () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  buildImages(docker, folder);

  const server = serviceOf('server');
  const socket = engine.host.replace('unix://', '');
  const port = `${await freePort()}`;
  const settings = { ...(await openServices(scope)), ...ownSettings };
  // The test Postgres listens on a Unix socket only.
  const sockets = new URLSearchParams(settings['DATABASE_URL']?.split('?')[1]).get('host');
  const config = join(folder, 'config');
  cpSync(join(deployFolder, 'config'), config, { recursive: true });
  writeFileSync(join(config, 'script.yaml'), script);
  const container = docker(
    ...['run', '--detach', '--network', 'host', '--group-add', `${statSync(socket).gid}`],
    ...['--volume', `${socket}:/var/run/docker.sock`, '--volume', `${config}:/config:ro`],
    ...['--volume', `${sockets}:${sockets}`],
    ...['--volume', `${join(deployFolder, '../bundles')}:/bundles:ro`],
    ...walls(server),
    ...Object.keys(server.environment).flatMap((name) => [
      '--env',
      `${name}=${settings[name] ?? ''}`,
    ]),
    ...['--env', `TIMELOOM_PORT=${port}`, server.image],
  );
  scope.defer(async () => void docker('rm', '--force', '--volumes', container));
  await becomeHealthy(() => docker('inspect', '--format', '{{.State.Health.Status}}', container));
  await talk(
    `http://127.0.0.1:${port}`,
    docker('exec', container, 'timeloom', 'token', '--user', 'ann'),
  );
  docker('stop', '--time', '60', container);
  const ended = docker('inspect', '--format', '{{.State.ExitCode}} {{.Config.User}}', container);
  if (ended !== '0 10001:10001') throw new Error(`the server ended as ${ended}`);
}

type Docker = (...args: readonly string[]) => string;

const secret = 'a-secret-that-only-this-run-knows-of';
const ownSettings: Readonly<Record<string, string>> = {
  TIMELOOM_MODEL: 'scripted:/config/script.yaml',
  TIMELOOM_BUNDLES: '/bundles',
  TIMELOOM_EXEC_MODE: 'docker',
  TIMELOOM_AUTH_SECRET: secret,
  TIMELOOM_SECRETS_KEY: secret,
};
const script = `plays: per_conversation
replies:
  - call: { tool: exec_tools.execute_code_python }
    code: |
      import pandas
      print("rows:", len(pandas.read_csv(f"{OUTPUT_DIR}/attachments/rain.csv")))
  - when: "rows: 2"
    answer: Two rows.
`;

function buildImages(docker: Docker, folder: string): void {
  const standIn = join(folder, 'node');
  mkdirSync(standIn);
  // The image uses the npm settings of this machine.
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' });
  const certificates = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
  execFileSync('npm', ['install', '--silent', '--prefix', standIn, 'npm@11']);
  writeFileSync(join(standIn, 'npmrc'), `registry=${registry}`);
  cpSync(certificates, join(standIn, 'certificates'), { dereference: true });
  writeFileSync(
    join(standIn, 'Dockerfile'),
    [
      'FROM timeloom-base:bookworm',
      'COPY node_modules/npm /usr/local/lib/node_modules/npm',
      'COPY npmrc /root/.npmrc',
      'COPY certificates /etc/ssl/certs/ca-certificates.crt',
      'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && mkdir -p /var/cache/apt/archives/partial',
    ].join('\n'),
  );
  docker('build', '--quiet', '--tag', 'node-stand-in', standIn);
  for (const { image, build } of [serviceOf('programs'), serviceOf('server')]) {
    const target = build?.target === undefined ? [] : ['--target', build.target];
    const options = ['--network', 'host', '--build-arg', 'NODE=node-stand-in', ...target];
    const file = join(deployFolder, '..', build?.dockerfile ?? '');
    docker(
      'build',
      '--quiet',
      ...options,
      '--tag',
      image,
      '--file',
      file,
      join(deployFolder, '..'),
    );
  }
}

async function openServices(scope: Scope): Promise<Readonly<Record<string, string>>> {
  const s3 = await startFauxqs({ port: 0, logger: false, init: { buckets: ['timeloom'] } });
  scope.defer(() => s3.stop());
  return {
    DATABASE_URL: scope.own(await startPostgres()).url,
    REDIS_URL: scope.own(await startRedis()).url,
    TIMELOOM_BLOBS: 's3://timeloom/blobs',
    AWS_ENDPOINT_URL_S3: s3.address,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'timeloom',
    AWS_SECRET_ACCESS_KEY: secret,
  };
}

/** The restrictions of compose.yaml for the process. */
function walls({ cap_drop, security_opt, read_only, tmpfs }: ComposeService): readonly string[] {
  return [
    ...cap_drop.flatMap((name) => ['--cap-drop', name]),
    ...security_opt.flatMap((option) => ['--security-opt', option]),
    ...tmpfs.flatMap((path) => ['--tmpfs', path]),
    ...(read_only ? ['--read-only'] : []),
  ];
}

async function becomeHealthy(status: () => string): Promise<void> {
  const until = performance.now() + 120_000;
  while (status() !== 'healthy') {
    if (performance.now() > until) throw new Error(`the server is ${status()}`);
    await setTimeout(500);
  }
}

async function talk(url: string, token: string): Promise<void> {
  await using client = connect({ url, token: async () => token });
  const data = Buffer.from('month,rain\nJan,140\nFeb,90\n');
  const attachments = [{ name: 'rain.csv', mime: 'text/csv', data }];
  const turn = await client.conversation().send('How many rows?', { attachments });
  const { reason, text } = await turn.done();
  if (`${reason}: ${text}` !== 'completed: Two rows.') throw new Error(`${reason}: ${text}`);
}

await main();
