import type { CellKind } from './cell.ts';
import { loadingMemoryMbMin, openFilesMax, ownTasks } from './cell-limits.ts';
import { preloadedLibraries } from './libraries.ts';
import { seccompFilter } from './seccomp/filter.ts';

/** Where everything is inside, in every backend. */
export const sandboxPaths = {
  work: '/work',
  out: '/out',
  temporary: '/tmp',
  executor: '/opt/timeloom/executor',
  /** Inputs as they come from the host; the program finds them in OUTPUT_DIR. */
  inputs: '/opt/timeloom/inputs',
  given: '/opt/timeloom/inputs/given',
  /** Files that it asks for while it runs. */
  mounted: '/opt/timeloom/inputs/handed',
  node: '/opt/timeloom/bin/node',
} as const;

/** Of its memory, a program keeps so much that it does not need. */
const mallocThresholdBytes = 16 * 1024 * 1024;

type Options = {
  readonly python: string;
  /** Of the processors, in whole or in part. */
  readonly cpus: number;
  /** Where the launcher finds its stream, if it was not born with it on fd 3. */
  readonly socket: string | null;
  /** Named pipes that take what the program prints, where its host cannot hold the ends of real ones. */
  readonly output?: { readonly stdout: string; readonly stderr: string };
  /** Limits for which there is no cgroup: processes of the user namespace, memory of each process. */
  readonly bare: { readonly processes: boolean; readonly memory: boolean };
};

const filter = seccompFilter().toString('base64');
const mebibyte = 1024 * 1024;

/** The program and arguments of PID 1; what comes after the launcher's name is all it is told. */
export function launcherArgv(kind: CellKind, options: Options): readonly string[] {
  const { python, cpus, socket, output } = options;
  const settings: Readonly<Record<string, readonly string[]>> = {
    exec: harnessArgv(kind, python),
    env: pairs({
      PATH: '/opt/timeloom/bin:/usr/local/bin:/usr/bin:/bin',
      HOME: sandboxPaths.temporary,
      TMPDIR: sandboxPaths.temporary,
      XDG_CACHE_HOME: sandboxPaths.temporary,
      MPLBACKEND: 'Agg',
      // Libraries would start a thread for each processor of the machine.
      OMP_NUM_THREADS: Math.max(1, Math.floor(cpus)),
      // What large texts of calls leave is used for the next: to give memory back and to touch it anew takes longer than to copy.
      MALLOC_MMAP_THRESHOLD_: mallocThresholdBytes,
      MALLOC_TRIM_THRESHOLD_: mallocThresholdBytes,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
    }),
    filter: [filter],
    limit: pairs(resourceLimits(kind, options)),
    out: [sandboxPaths.out],
    socket: socket === null ? [] : [socket],
    stdout: output ? [output.stdout] : [],
    stderr: output ? [output.stderr] : [],
  };
  const lines = Object.entries(settings).flatMap(([word, values]) =>
    values.map((value) => `${word} ${value}`),
  );
  return [python, '-I', '-S', '-B', `${sandboxPaths.executor}/launcher.py`, lines.join('\n')];
}

function pairs(values: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

function harnessArgv({ language, limits }: CellKind, python: string): readonly string[] {
  if (language === 'javascript') return [sandboxPaths.node, `${sandboxPaths.executor}/harness.mjs`];
  const loaded = limits.memoryMb < loadingMemoryMbMin ? [] : preloadedLibraries;
  return [python, '-I', '-B', `${sandboxPaths.executor}/harness.py`, ...loaded];
}

function resourceLimits({ limits }: CellKind, { bare }: Options) {
  return {
    RLIMIT_FSIZE: limits.fileMb * mebibyte,
    RLIMIT_NOFILE: openFilesMax,
    // Below 0 a kernel would still hand dumps to a program of the host (core_pattern), below 1 it does not.
    RLIMIT_CORE: 1,
    ...(bare.processes ? { RLIMIT_NPROC: limits.processes + ownTasks } : {}),
    ...(bare.memory ? { RLIMIT_DATA: limits.memoryMb * mebibyte } : {}),
  };
}
