import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { patient } from '../machine-speed.ts';
import { leaveRunning, runFolder } from '../run-folder.ts';
import { answers, createDatabase, preparePostgres } from './services.ts';

const template = 'timeloom_template';
const startDeadlineMs = patient(100_000);
const pollMs = 25;

/**
 * The address of a database of its own on the Postgres server that all files of the run share: a copy of a migrated
 * template. For tests that need no server of their own.
 */
export async function openDatabase(): Promise<string> {
  const server = await sharedServer();
  return await createDatabase(server, `test_${randomUUID().replaceAll('-', '')}`, { template });
}

async function sharedServer(): Promise<string> {
  const dir = join(runFolder(), 'postgres');
  const ready = join(runFolder(), 'postgres.url');
  // The process that creates the folder starts the server; the others wait for its address.
  const isFirst = await mkdir(dir).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const url = await startServer(dir);
    await using _migrated = await openPostgresTimelineStore({
      url: await createDatabase(url, template),
    });
    await writeFile(`${ready}.part`, url);
    await rename(`${ready}.part`, ready);
  }
  return await within(() => readFile(ready, 'utf8').catch(() => undefined));
}

/** Outlives this process; the run stops it. */
async function startServer(dir: string): Promise<string> {
  const { command, url } = await preparePostgres(dir);
  const [file = '', ...args] = command;
  await using log = await open(join(dir, 'log'), 'w');
  const server = spawn(file, args, {
    cwd: dir,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  server.unref();
  await leaveRunning('postgres', { pid: server.pid ?? 0, folder: dir });
  await within(async () => ((await answers(url)) ? true : undefined));
  return url;
}

async function within<T>(look: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + startDeadlineMs;
  while (Date.now() < until) {
    const found = await look();
    if (found !== undefined) return found;
    await setTimeout(pollMs);
  }
  throw new Error('the shared Postgres server did not start');
}
