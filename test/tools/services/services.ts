import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { patient } from '../machine-speed.ts';

const run = promisify(execFile);
const startDeadlineMs = patient(100_000);
const pollMs = 25;

/** A service that this machine does not have; the message names the Debian package. */
export class MissingService extends Error {}

export type Service = AsyncDisposable & {
  readonly url: string;
  /** Ends at once, as in a crash; the data stays, so that `start` finds it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

/**
 * A throw-away Postgres on a Unix socket in a directory of its own. Never syncs: its data dies with the test.
 * Throws a sentence that names the Debian package when the binaries are missing.
 */
export async function startPostgres(): Promise<Service> {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-postgres-'));
  const { command, url } = await preparePostgres(dir);
  return await started({
    command,
    dir,
    url,
    stop: 'SIGINT',
    // Kills its children too, which SIGKILL would leave behind for a while.
    crash: 'SIGQUIT',
    isUp: () => answers(url),
  });
}

/** Makes the data of a server in a folder; returns the command that runs it, and its address. */
export async function preparePostgres(
  dir: string,
): Promise<{ readonly command: readonly string[]; readonly url: string }> {
  const bin = postgresBinaries();
  await chmod(dir, 0o777);
  const data = join(dir, 'data');
  const sockets = join(dir, 'sockets');
  await mkdir(sockets);
  await chmod(sockets, 0o777);
  const initdb = ['-D', data, '-U', 'timeloom', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  const [command = '', ...args] = asUser([join(bin, 'initdb'), ...initdb, '--locale=C.UTF-8']);
  await run(command, args, { cwd: dir });
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${sockets}`,
    'fsync=off',
    'max_connections=300',
  ];
  const server = [join(bin, 'postgres'), '-D', data, ...settings.flatMap((each) => ['-c', each])];
  const url = `postgresql://timeloom@/postgres?host=${encodeURIComponent(sockets)}`;
  return { command: asUser(server), url };
}

/** A throw-away Redis without persistence on a free port of the loopback. */
export async function startRedis(): Promise<Service> {
  if (!onPath('redis-server'))
    throw new MissingService('redis-server is missing: apt-get install redis-server');
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-redis-'));
  const port = await freePort();
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const command = ['redis-server', ...settings, '--dir', dir];
  const url = `redis://127.0.0.1:${port}`;
  return await started({
    command,
    dir,
    url,
    stop: 'SIGTERM',
    crash: 'SIGKILL',
    isUp: () => opens(port),
  });
}

/** Makes an empty database, or a copy of another one, on the server of `url`; returns its address. */
export async function createDatabase(
  url: string,
  name: string,
  { template }: { template?: string } = {},
): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${name}${template ? ` template ${template}` : ''}`);
  } finally {
    await client.end();
  }
  return url.replace('/postgres?', `/${name}?`);
}

type Plan = {
  readonly command: readonly string[];
  readonly dir: string;
  readonly url: string;
  readonly stop: NodeJS.Signals;
  readonly crash: NodeJS.Signals;
  isUp(): Promise<boolean>;
};

async function started({ command, dir, url, stop, crash, isUp }: Plan): Promise<Service> {
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, 'exit');
    ending.kill(signal);
    await gone;
  };
  const start = async () => {
    child = await spawnUntil(command, { cwd: dir, isUp });
  };
  const remove = () => rm(dir, { recursive: true, force: true });
  await start().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    url,
    start,
    kill: () => end(crash),
    [Symbol.asyncDispose]: async () => {
      await end(stop);
      await remove();
    },
  };
}

async function spawnUntil(
  [file = '', ...args]: readonly string[],
  { cwd, isUp }: { cwd: string; isUp: () => Promise<boolean> },
): Promise<ChildProcess> {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
  }
  const deadline = Date.now() + startDeadlineMs;
  while (!(await isUp())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${file} did not start: ${said}`);
    }
    await setTimeout(pollMs);
  }
  return child;
}

function postgresBinaries(): string {
  const versions = '/usr/lib/postgresql';
  const found = existsSync(versions) ? readdirSync(versions) : [];
  const newest = found.map(Number).sort((a, b) => b - a)[0];
  const bin = join(versions, `${newest}`, 'bin');
  if (newest === undefined || !existsSync(join(bin, 'initdb'))) {
    throw new MissingService('the Postgres server is missing: apt-get install postgresql');
  }
  return bin;
}

/** Postgres refuses to run as root, so root becomes the user that its package made. */
function asUser(command: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0) return command;
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

/** Whether a command of this name is installed. */
export function onPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}

/** A socket that opens is not enough: after a crash Postgres listens while it still recovers. */
export async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function opens(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * A port of the loopback for a server that stops listening and listens again: below those that the system gives to a process that
 * connects, so that nobody has it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
