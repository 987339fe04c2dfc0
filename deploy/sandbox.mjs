import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installDebian, root, say } from './steps.mjs';

const baseImage = 'timeloom-base:bookworm';

/** Something that isolates generated code, as far as this machine lets us: an image for its Docker, and bubblewrap. */
export function prepareSandbox() {
  if (dockerSays(['version', '--format', '{{.Server.Version}}'])) prepareDocker();
  if (process.platform !== 'linux') return;
  installDebian([
    { name: 'bubblewrap', file: 'bwrap' },
    { name: 'python3', file: 'python3' },
  ]);
}

/** Without the image the runtime takes the process sandbox, and says why; so nothing here is fatal. */
function prepareDocker() {
  if (dockerSays(['image', 'inspect', baseImage])) return;
  if (installDebian([{ name: 'debootstrap', file: 'debootstrap' }]).length > 0) return;
  say('making the base image of the sandbox (about a minute, once)');
  const script = join(root, 'deploy/make-base-image.mjs');
  const { status } = spawnSync(process.execPath, [script, '--tag', baseImage], {
    stdio: 'inherit',
  });
  if (status !== 0) say('Docker is left out: there is no base image');
}

function dockerSays(args) {
  return spawnSync('docker', args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}
