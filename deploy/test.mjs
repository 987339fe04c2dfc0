import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { debianLibraries } from './libraries.mjs';
import { requireNode } from './node.mjs';
import {
  build,
  canInstall,
  installDebian,
  installPackages,
  postgresInstalled,
  root,
  run,
  say,
} from './steps.mjs';

/** `npm test`: everything the tests need, then all of them. Nothing is skipped: what is missing fails and says so. */
await requireNode();
const missing = installDebian([
  { name: 'bubblewrap', file: 'bwrap' },
  { name: 'python3', file: 'python3' },
  { name: 'postgresql', file: postgresInstalled },
  { name: 'redis-server', file: 'redis-server' },
  { name: 'docker.io', file: 'dockerd' },
  { name: 'crun', file: 'crun' },
  { name: 'debootstrap', file: 'debootstrap' },
  { name: 'chromium', file: 'chromium' },
]);
// Not every release of a distribution has it.
missing.push(...installDebian([{ name: 'runsc', file: 'runsc' }]));
missing.push(...installDebian(debianLibraries));
if (missing.length > 0) say('the tests that need them will fail');
installPackages();
build();
if (canInstall()) {
  say('making the file system of the sandbox image (about two minutes, once)');
  run(process.execPath, [join(root, 'deploy/make-base-image.mjs'), '--rootfs-only']);
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = [
  vitest,
  'run',
  '--root',
  '.',
  '--config',
  'test/tools/vitest.config.ts',
  ...process.argv.slice(2),
];
const done = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
process.exit(done.status ?? 1);
