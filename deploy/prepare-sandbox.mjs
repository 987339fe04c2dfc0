import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { baseLabel, baseName } from './images/base-image.mjs';
import { debianLibraries } from './images/debian-libraries.mjs';
import { installDebian, root, say } from './steps.mjs';

const baseImage = 'timeloom-base:bookworm';

/** Something that isolates generated code, as far as this machine lets us: an image for its Docker, and bubblewrap. */
export function prepareSandbox() {
  const inDocker = dockerSays(['version', '--format', '{{.Server.Version}}']) && prepareDocker();
  if (process.platform !== 'linux') return;
  installDebian([
    { name: 'bubblewrap', file: 'bwrap' },
    { name: 'python3', file: 'python3' },
  ]);
  // The image has its own. Programs run without them too, and are told which there are.
  if (!inDocker) installDebian(debianLibraries);
}

/** Whether the image is there. Without it the runtime takes the process sandbox, and says why; so nothing here is fatal. */
function prepareDocker() {
  if (madeOf(baseImage) === baseName) return true;
  if (installDebian([{ name: 'debootstrap', file: 'debootstrap' }]).length > 0) return false;
  say('making the base image of the sandbox (about two minutes, once)');
  const script = join(root, 'deploy/images/make-base-image.mjs');
  const { status } = spawnSync(process.execPath, [script, '--tag', baseImage], {
    stdio: 'inherit',
  });
  if (status !== 0) say('the base image was not made');
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
