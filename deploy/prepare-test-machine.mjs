import { join } from 'node:path';
import { debianLibraries } from './images/debian-libraries.mjs';
import { canInstall, installDebian, postgresInstalled, root, run, say } from './steps.mjs';

/** Installs what the tests require on the machine: Debian packages and the file system of the sandbox image. Called by `npm test`. */
const missing = installDebian([
  { name: 'bubblewrap', file: 'bwrap' },
  { name: 'python3', file: 'python3' },
  { name: 'curl', file: 'curl' },
  { name: 'postgresql', file: postgresInstalled },
  { name: 'redis-server', file: 'redis-server' },
  { name: 'docker.io', file: 'dockerd' },
  { name: 'crun', file: 'crun' },
  { name: 'debootstrap', file: 'debootstrap' },
  { name: 'chromium-headless-shell', file: 'chromium-headless-shell' },
]);
// Not available in every release.
missing.push(...installDebian([{ name: 'runsc', file: 'runsc' }]));
missing.push(...installDebian(debianLibraries));
if (missing.length > 0) say('tests that require them will fail');
if (canInstall()) {
  say('building the file system of the sandbox image (about two minutes, once)');
  run(process.execPath, [join(root, 'deploy/images/make-base-image.mjs'), '--rootfs-only']);
}
