// Makes the image the sandbox images stand on, where no registry can be reached: Debian by
// debootstrap, Python from it, Node copied from this machine (Debian's own is too old).
//
//   node deploy/make-base-image.mjs [--tag timeloom-base:bookworm] [--rootfs-only]
//
// Needs Linux, root, debootstrap and a Docker engine (DOCKER_HOST or the usual socket). The root
// file system is kept under ${XDG_CACHE_HOME:-~/.cache}/timeloom, so a second call takes seconds;
// --rootfs-only makes just that, without an engine.

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const packages = ['python3-minimal', 'libpython3-stdlib', 'libffi8', 'libstdc++6'];
const unneeded = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/lib/apt', 'var/cache'];
const name = `base-bookworm-${process.arch}-node-${process.versions.node}.tar`;

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: 'timeloom-base:bookworm' },
    'rootfs-only': { type: 'boolean', default: false },
  },
});
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'timeloom');
const tar = join(cache, name);
if (!existsSync(tar)) makeRootfs(tar);
if (!values['rootfs-only']) run('docker', ['import', tar, values.tag]);

function makeRootfs(target) {
  if (process.getuid() !== 0) fail('debootstrap needs root');
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-base-'));
  try {
    run('debootstrap', ['--variant=minbase', `--include=${packages}`, 'bookworm', folder]);
    for (const path of unneeded) rmSync(join(folder, path), { recursive: true, force: true });
    const node = join(folder, 'usr/local/bin/node');
    cpSync(process.execPath, node, { dereference: true });
    chmodSync(node, 0o755);
    mkdirSync(cache, { recursive: true });
    run('tar', ['--numeric-owner', '-C', folder, '-cf', `${target}.part`, '.']);
    renameSync(`${target}.part`, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error?.code === 'ENOENT') fail(`${command} is missing (Debian: apt-get install ${command})`);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed`);
}

function fail(because) {
  console.error(`make-base-image: ${because}`);
  process.exit(1);
}
