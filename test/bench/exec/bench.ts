import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { findBubblewrap, findPython } from '../../../runtime/adapters/process/staging-dir.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { type Area, type Measured, missing } from '../area.ts';
import type { Figure } from '../figure.ts';
import { benchBurst } from './burst.ts';
import { benchCalls } from './calls.ts';
import { benchDocker } from './docker.ts';
import { compare, inSandbox, programs, rested, toFirstLine } from './first-line.ts';
import { benchHandle } from './handle.ts';
import { benchStop } from './stop.ts';

/** Executors that wait for each language. */
const pool = 4;

/** Programs: how soon they begin, what a call costs them, how soon they are stopped, what their files cost. */
export const benchExec: Area = async () => {
  const parts = [
    await measured('exec.process_*', benchProcess),
    await measured('exec.docker_*', benchDocker),
    await measured('exec.gibibyte_*', benchHandle),
  ];
  return {
    figures: parts.flatMap(({ figures }) => figures),
    missing: parts.flatMap((part) => part.missing ?? []),
  };
};

async function measured(what: string, bench: () => Promise<readonly Figure[]>): Promise<Measured> {
  try {
    return { figures: await bench() };
  } catch (error) {
    return { figures: [], missing: [missing(what, error)] };
  }
}

async function benchProcess(): Promise<readonly Figure[]> {
  const [bwrap = 'bwrap', python = 'python3'] = [await findBubblewrap(), await findPython()];
  const parts = { blobs: openMemoryBlobStore(), clock: systemClock, log: silentLog };
  await using cold = await openProcessSandbox(parts);
  await using warm = await openProcessSandbox({ ...parts, pool });
  const bare = (args: readonly string[]) => () => toFirstLine(bwrap, [...bareSandbox, ...args]);
  const inPython = bare([python, '-I', '-c', programs.python]);
  const inNode = bare([process.execPath, '-e', programs.javascript]);
  const [py, js] = ['python', 'javascript'] as const;
  return [
    await compare('exec.pool_python_vs_bwrap', rested(inSandbox(warm, py)), inPython),
    await compare('exec.pool_javascript_vs_bwrap', rested(inSandbox(warm, js)), inNode),
    await compare('exec.cold_python_vs_bwrap', inSandbox(cold, py), inPython),
    await compare('exec.cold_javascript_vs_bwrap', inSandbox(cold, js), inNode),
    await benchBurst('exec.burst_100_vs_bwrap', warm, inPython),
    // No executor is started meanwhile that would take a processor from them.
    ...(await benchCalls(cold)),
    await benchStop(cold, [python, '-I', '-c']),
  ];
}

/** New namespaces and nothing more: no limits, no filter, no clean file system, no stream, no result. */
const bareSandbox = [
  ...['--unshare-all', '--die-with-parent', '--clearenv', '--dev', '/dev', '--proc', '/proc'],
  // Not all of `/`: what others mount and unmount there would slow it down, or stop it.
  ...['/usr', '/lib', '/lib64', process.execPath].flatMap((path) => ['--ro-bind-try', path, path]),
  '--',
];
