// Builds the base of the sandbox images without a registry: Debian from debootstrap, Python and data libraries
// from Debian, Node copied from this machine (Debian's version is too old).
//
//   node deploy/images/make-base-image.mjs [--tag timeloom-base:bookworm] [--rootfs-only]
//
// Requires Linux, root, debootstrap and a Docker engine (DOCKER_HOST or the default socket). The root
// file system is kept under ${XDG_CACHE_HOME:-~/.cache}/timeloom, so a second call takes seconds;
// --rootfs-only builds only the root file system, without an engine.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { base, baseLabel, baseName } from './base-image.mjs';

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: 'timeloom-base:bookworm' },
    'rootfs-only': { type: 'boolean', default: false },
  },
});
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'timeloom');
const debian = { DEBIAN_FRONTEND: 'noninteractive', DEBCONF_NOWARNINGS: 'yes', LC_ALL: 'C' };
const tar = join(cache, `base-${baseName}.tar`);
if (!existsSync(tar)) makeRootfs(tar);
if (!values['rootfs-only']) {
  run('docker', ['import', '--change', `LABEL ${baseLabel}=${baseName}`, tar, values.tag]);
}

function makeRootfs(target) {
  if (process.getuid() !== 0) fail('debootstrap needs root');
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-base-'));
  // apt downloads packages as a separate user, who needs access to the folder.
  chmodSync(folder, 0o755);
  try {
    run('debootstrap', ['--variant=minbase', '--include=python3-minimal', base.suite, folder]);
    installLibraries(folder);
    for (const path of [...base.unneeded, 'var/lib/apt', 'var/cache']) {
      rmSync(join(folder, path), { recursive: true, force: true });
    }
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

/** Installs the libraries from the same mirror. Skips unneeded files, and compiles Python files once, at the end. */
function installLibraries(folder) {
  const excluded = base.unneeded.map((path) => `path-exclude=/${path}/*\n`);
  writeFileSync(join(folder, 'etc/dpkg/dpkg.cfg.d/timeloom'), excluded.join(''));
  const compiler = join(folder, 'usr/bin/py3compile');
  rmSync(compiler);
  symlinkSync('true', compiler);
  const quiet = ['-qq', '-o', 'Dpkg::Use-Pty=false'];
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...quiet];
  run('chroot', [folder, ...install, ...base.packages]);
  run('chroot', [folder, 'python3', '-m', 'compileall', '-q', `/${base.modules}`]);
}

function run(command, args) {
  // The file system is packed and deleted, so dpkg need not sync it to disk.
  const env = { ...process.env, ...debian, DPKG_FORCE: 'unsafe-io' };
  const { status, error } = spawnSync(command, args, {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (error?.code === 'ENOENT') fail(`${command} is missing (Debian: apt-get install ${command})`);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed`);
}

function fail(because) {
  console.error(`make-base-image: ${because}`);
  process.exit(1);
}
