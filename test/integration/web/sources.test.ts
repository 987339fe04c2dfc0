import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { fakeSecrets } from '../../tools/aws/secrets.ts';
import { startWire } from '../../tools/aws/wire.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax });

const bundle = `
  import { z } from 'zod';
  import { defineAgent, defineBundle, defineOperation, defineSecret } from 'timeloom/sdk';
  const key = defineSecret({ id: 'PAGER_KEY', for: 'bundle', description: 'the key of the pager' });
  const pager = defineOperation({ id: 'pager', input: z.object({ key: z.string() }),
    run: ({ key: given }, ctx) => ctx.secrets.matches(key, given) });
  export const bundle = defineBundle({ id: 'desk', version: '1', secrets: [key], operations: [pager],
    agents: [defineAgent({ id: 'main', instruction: 'Help.' })] });
`;

/** A bare repository with the bundle in a folder, under the tag v1. */
async function openRepository(dir: string): Promise<string> {
  const work = join(dir, 'work');
  const bare = join(dir, 'desk.git');
  await mkdir(join(work, 'bundles/desk'), { recursive: true });
  await writeFile(join(work, 'bundles/desk/bundle.ts'), bundle);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', HOME: dir };
  const git = (...args: readonly string[]) => {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    execFileSync('git', [...who, ...args], { cwd: work, env, stdio: 'pipe' });
  };
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=one');
  git('tag', 'v1');
  git('clone', '--quiet', '--bare', work, bare);
  return bare;
}

// proves: sources.bundles, secrets.aws
test('a server has its bundle from a bare repository, and the secret of the bundle from AWS', async () => {
  await using scope = new Scope();
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-sources-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const { operations } = fakeSecrets();
  const wire = scope.own(await startWire(operations));
  const aws = 'timeloom/ops/pager';
  await operations['secretsmanager.CreateSecret']?.({ Name: aws, SecretString: 'key-of-pager' });
  const git = `file://${await openRepository(dir)}`;
  const desk = { id: 'desk', git, ref: 'v1', subdir: 'bundles/desk' };
  const config = join(dir, 'config');
  await mkdir(config);
  await writeFile(join(config, 'bundles.yaml'), stringify({ bundles: [desk] }));
  const secrets = stringify({ desk: { PAGER_KEY: { aws } } });
  await writeFile(join(config, 'bundles.secrets.yaml'), secrets, { mode: 0o600 });
  await using server = await startServe({
    ...{ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_REGION: 'eu-central-1' },
    AWS_ENDPOINT_URL_SECRETS_MANAGER: wire.url,
    TIMELOOM_CONFIG_DIR: config,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_EXEC_MODE: 'off',
  });
  await using client = connect({ url: server.url, user: 'ann' });
  expect(await client.operation('desk', 'pager', { key: 'key-of-pager' })).toBe(true);
  expect(await client.operation('desk', 'pager', { key: 'another' })).toBe(false);
  expect(wire.asked).toContain('GetSecretValue');
  expect(server.log()).not.toContain('key-of-pager');
});
