import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patient } from '../../tools/machine-speed.ts';

// proves: house.client-package

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const gzipBytesMax = 30_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'timeloom-client-'));
  const pack = ['pack', '--workspace', '@timeloom/client', '--pack-destination', folder];
  await run('npm', [...pack, '--loglevel=error'], { cwd: root });
  const [archive = ''] = await readdir(folder);
  const home = join(folder, 'node_modules/@timeloom/client');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', home]);
  for (const name of ['socket.io-client', 'react', '@types/react']) await install(name);
}, patient(180_000));
afterAll(() => rm(folder, { recursive: true }));

async function install(name: string): Promise<void> {
  const target = join(folder, 'node_modules', name);
  await mkdir(join(target, '..'), { recursive: true });
  await symlink(join(root, 'node_modules', name), target);
}

const program = `
import { connect, type Turn } from '@timeloom/client';
import { useConversation } from '@timeloom/client/react';

const client = connect({ url: 'http://127.0.0.1:9', tenant: 'dev', project: 'dev' });
export const send = (text: string): Promise<Turn> => client.conversation().send(text);
export const hook: unknown = useConversation;
`;

test('the packed client needs no types but its own and no package but its dependencies', async () => {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program.ts'), program);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const checked = await run(process.execPath, [tsc, ...options, 'program.ts'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(checked.stdout).toBe('');
  const script = "import('@timeloom/client').then(({ connect }) => console.log(typeof connect))";
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: folder });
  expect(stdout).toBe('function\n');
});

test('in a browser it takes at most 30 kB with everything that it needs', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export { connect } from '@timeloom/client'", resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(gzipBytesMax);
});

test('its version is that of the server', async () => {
  const versionIn = async (file: string) =>
    (JSON.parse(await readFile(join(root, file), 'utf8')) as { version: string }).version;
  expect(await versionIn('runtime/client/package.json')).toBe(await versionIn('package.json'));
});
