import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Docker from 'dockerode';
import { patient } from '../machine-speed.ts';
import { stopServer } from '../run-folder.ts';
import { MissingService, onPath } from './services.ts';

const startMsMax = patient(100_000);

/** It takes no hybrid of both versions of cgroups: it is shown the first alone, if there are both. */
const crun = `#!/bin/sh
exec unshare --mount --propagation slave sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec crun "$@"' crun "$@"
`;

/** A runtime as in the configuration of an engine. */
export type Runtime = { readonly path: string; readonly runtimeArgs?: readonly string[] };

/** An engine with all its data in one folder, and a second runtime, crun; without the machine's network. Needs root. */
export async function startEngine(
  folder: string,
  more: Readonly<Record<string, Runtime>>,
): Promise<ChildProcess> {
  if (!onPath('dockerd')) throw new MissingService('dockerd is missing: apt-get install docker.io');
  const log = openSync(join(folder, 'log'), 'w');
  const flags = ['--data-root', '--exec-root', '--pidfile'].flatMap((flag) => [
    flag,
    join(folder, flag.slice(2)),
  ]);
  const runtime = join(folder, 'crun');
  const config = join(folder, 'daemon.json');
  await writeFile(runtime, crun, { mode: 0o755 });
  await writeFile(config, JSON.stringify({ runtimes: { crun: { path: runtime }, ...more } }));
  const host = hostOf(folder);
  const bare = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
  const daemon = spawn('dockerd', ['--host', host, ...flags, ...bare, '--config-file', config], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  try {
    await answers(new Docker({ socketPath: socketOf(folder) }), daemon, join(folder, 'log'));
    return daemon;
  } catch (error) {
    await stopServer(folder, daemon.pid ?? 0);
    throw error;
  }
}

export const dataRootOf = (folder: string) => join(folder, 'data-root');
export const socketOf = (folder: string) => join(folder, 'docker.sock');
export const hostOf = (folder: string) => `unix://${socketOf(folder)}`;

async function answers(docker: Docker, daemon: ChildProcess, log: string): Promise<void> {
  await once(daemon, 'spawn');
  const until = performance.now() + startMsMax;
  for (;;) {
    const there = await docker.ping().then(
      () => true,
      () => false,
    );
    if (there) return;
    if (daemon.exitCode !== null || performance.now() > until) {
      throw new Error(`dockerd did not start:\n${(await readFile(log, 'utf8')).slice(-2_000)}`);
    }
    await setTimeout(50);
  }
}
