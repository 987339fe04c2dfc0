// This file must run on Node 18, because an old Node uses it to download a supported version.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const oldest = [22, 19];
const preferred = '24';

/** Returns on a supported Node. On an older one, runs the same script on Node 24 from npm and exits with its exit code. */
export async function requireNode() {
  if (isSupported(process.versions.node)) return;
  say(`Node ${process.versions.node} is too old (${oldest.join('.')} or newer is required)`);
  const node = fetchNode(preferred);
  say(`running with Node ${versionOf(node)} from .timeloom/ in this folder`);
  const child = spawn(node, process.argv.slice(1), { env: environmentOf(node), stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...end) => resolve(end));
  });
  process.exit(code ?? (signal === 'SIGINT' ? 130 : 1));
}

/** The path of a Node binary of this version (a major version or `latest`), downloaded from npm on the first call. */
export function fetchNode(version) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(root, '.timeloom', `node-${version}`);
  const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const node = join(folder, 'node_modules', name, binary);
  if (existsSync(node)) return node;
  say(`downloading Node ${version} from npm (a few seconds, once)`);
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  // Programs run as another user and need access to this Node.
  chmodSync(draft, 0o755);
  try {
    writeFileSync(join(draft, 'package.json'), '{"private":true}');
    const args = ['install', `${name}@${version}`, '--no-audit', '--no-fund', '--loglevel=error'];
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const shell = process.platform === 'win32';
    const stdio = ['ignore', 'ignore', 'inherit'];
    const done = spawnSync(npm, args, { cwd: draft, shell, stdio });
    if (done.status !== 0)
      fail(`cannot download ${name}@${version}: install Node ${preferred} LTS`);
    if (!existsSync(node)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return node;
}

/** An environment in which `node` and npm scripts use this Node. */
export function environmentOf(node) {
  return { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
}

export function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
}

function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

function say(text) {
  process.stderr.write(`· ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
