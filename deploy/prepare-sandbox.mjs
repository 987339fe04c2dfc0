import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { baseLabel, baseName } from './images/base-image.mjs';
import { debianLibraries } from './images/debian-libraries.mjs';
import { installDebian, root, say } from './steps.mjs';

const baseImage = 'timeloom-base:bookworm';

/** Prepares a sandbox for generated code, as far as this machine allows: a Docker image, and bubblewrap. */
export function prepareSandbox() {
  const inDocker = dockerSays(['version', '--format', '{{.Server.Version}}']) && prepareDocker();
  if (process.platform !== 'linux') return;
  installDebian([
    { name: 'bubblewrap', file: 'bwrap' },
    { name: 'python3', file: 'python3' },
  ]);
  // The image contains the libraries. Programs also run without them, and the model gets a list of what is available.
  if (!inDocker) installDebian(debianLibraries);
}

/** Returns whether the image exists. Without it the runtime uses the process sandbox and says why, so no error here is fatal. */
function prepareDocker() {
  if (madeOf(baseImage) === baseName) return true;
  if (installDebian([{ name: 'debootstrap', file: 'debootstrap' }]).length > 0) return false;
  say('building the base image of the sandbox (about two minutes, once)');
  const script = join(root, 'deploy/images/make-base-image.mjs');
  const { status } = spawnSync(process.execPath, [script, '--tag', baseImage], {
    stdio: 'inherit',
  });
  if (status !== 0) say('building the base image failed');
  return status === 0;
}

function madeOf(image) {
  const label = `{{index .Config.Labels "${baseLabel}"}}`;
  const args = ['image', 'inspect', '--format', label, image];
  return spawnSync('docker', args, { encoding: 'utf8', timeout: 10_000 }).stdout?.trim();
}

function dockerSays(args) {
  return spawnSync('docker', args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}
