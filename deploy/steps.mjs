import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Prints one line about the current step and how long it may take. */
export function say(text) {
  process.stderr.write(`· ${text}\n`);
}

/** Runs a command and shows its output; exits with its exit code if it fails. */
export function run(command, args, { env = process.env, quiet = false } = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: quiet ? ['ignore', 'ignore', 'inherit'] : 'inherit',
  });
  if (done.status === 0) return;
  say(`${command} ${args.join(' ')} failed${done.error ? `: ${done.error.message}` : ''}`);
  process.exit(done.status ?? 1);
}

/** Installs the packages of the lock file. Does nothing if they are installed, whatever the file's timestamp. */
export function installPackages() {
  const lock = join(root, 'package-lock.json');
  const installed = join(root, 'node_modules/.package-lock.json');
  const stamp = join(root, 'node_modules/.installed-from');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const isNewer = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
  if (!isNewer) {
    say('installing packages (under a minute)');
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true });
  }
  writeFileSync(stamp, hash);
}

/** Compiles the sources and copies the other files, unless nothing has changed since the last build. */
export function build() {
  const files = sources();
  const stamp = join(root, 'dist/.built-from');
  const state = createHash('sha256').update(files.map(fingerprint).join('\n')).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  say('building');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  run(process.execPath, [compiler, '-p', 'deploy/tsconfig.build.json']);
  for (const file of files.filter((name) => asset.test(name))) {
    cpSync(join(root, file), join(root, 'dist', file));
  }
  for (const step of ['modules.mjs', 'pages.mjs', 'database-image.mjs']) {
    run(process.execPath, [join(root, 'deploy/build', step)]);
  }
  writeFileSync(stamp, state);
}

/** Copied as they are. The pages are bundled instead. */
const asset = /^runtime\/(?!gateway\/pages\/).*\.(html|css|svg|sql|yaml|md)$/;
const settings = [
  'tsconfig.json',
  'deploy/tsconfig.build.json',
  'deploy/build/modules.mjs',
  'package-lock.json',
];

/** All files that the build depends on. */
function sources() {
  const files = ['runtime', 'supervisor', 'executor'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
  );
  return [...files, ...settings].sort();
}

function fingerprint(file) {
  const { mtimeMs, size } = statSync(join(root, file));
  return `${file} ${mtimeMs} ${size}`;
}

/** Whether Debian packages can be installed on this machine. */
export function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Installs missing packages if possible, else prints what to install. Returns what is still missing. */
export function installDebian(wanted) {
  const missing = wanted.filter(({ file }) => !found(file));
  if (missing.length === 0) return [];
  const names = missing.map((each) => each.name).join(' ');
  if (!canInstall()) {
    say(`not installed: ${names} (on Debian: sudo apt-get install ${names})`);
    return missing;
  }
  say(`installing ${names} from Debian's packages`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  const args = [
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    ...missing.map((each) => each.name),
  ];
  const done = spawnSync('apt-get', args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (done.status !== 0) say(done.stderr.split('\n').slice(-4).join('\n'));
  return missing.filter(({ file }) => !found(file));
}

function found(file) {
  if (typeof file === 'function') return file();
  return ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin'].some((dir) =>
    existsSync(join(dir, file)),
  );
}

export function postgresInstalled() {
  const dir = '/usr/lib/postgresql';
  return (
    existsSync(dir) &&
    readdirSync(dir).some((version) => existsSync(join(dir, version, 'bin/postgres')))
  );
}

export function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
