// Builds the two images of a Fargate task with the Docker engine (DOCKER_HOST or the default
// socket). Push them like any other image: docker tag, docker push.
//
//   node deploy/images/make-fargate-images.mjs [--base timeloom-base:bookworm] [--tag latest]
//
// BASE is any image with Node >= 22.19 and Python >= 3.11; deploy/images/make-base-image.mjs builds one.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'timeloom-base:bookworm' },
    tag: { type: 'string', default: 'latest' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'timeloom-images-'));
try {
  cpSync(join(root, 'executor'), join(folder, 'executor'), { recursive: true });
  await bundle('runtime/cli/fargate-task/main.ts', join(folder, 'task.mjs'));
  await bundle('runtime/cli/fargate-task/keeper.ts', join(folder, 'keeper.mjs'));
  const executor = `timeloom-executor:${values.tag}`;
  image('executor', executor, { BASE: values.base });
  image('fargate-executor', `timeloom-fargate-executor:${values.tag}`, { EXECUTOR: executor });
  image('fargate-supervisor', `timeloom-fargate-supervisor:${values.tag}`, { BASE: values.base });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Bundles an entry point into one file, without node_modules. */
async function bundle(entry, outfile) {
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    // Parts of the AWS clients are CommonJS and load Node's modules with require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}

function image(name, tag, args) {
  const file = join(import.meta.dirname, `${name}.Dockerfile`);
  const given = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  run('docker', ['build', '--network', 'none', '--tag', tag, '--file', file, ...given, folder]);
}

function run(command, args) {
  const env = { ...process.env, DOCKER_BUILDKIT: '0' };
  const { status, stderr, error } = spawnSync(command, args, { env, encoding: 'utf8' });
  if (status === 0) return;
  console.error(`make-fargate-images: ${command} ${args.join(' ')} failed\n${error ?? stderr}`);
  process.exit(1);
}
