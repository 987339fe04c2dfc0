import { seccompFilter } from '../seccomp/filter.ts';
import type { CellKind } from './cell.ts';
import { preloadedLibraries } from './libraries.ts';
import { interpreterTasks, loadingMemoryMbMin, openFilesMax } from './limits.ts';

/** Paths inside the sandbox, the same in every backend. */
export const sandboxPaths = {
  work: '/work',
  out: '/out',
  temporary: '/tmp',
  executor: '/opt/timeloom/executor',
  /** Inputs as they arrive from the host; the program finds them in OUTPUT_DIR. */
  inputs: '/opt/timeloom/inputs',
  given: '/opt/timeloom/inputs/given',
  /** Files that the program requests while it runs. */
  mounted: '/opt/timeloom/inputs/handed',
  node: '/opt/timeloom/bin/node',
} as const;

/** Freed memory that a program keeps for reuse. */
const mallocThresholdBytes = 16 * 1024 * 1024;

type Options = {
  readonly python: string;
  /** Number of processors; may be a fraction. */
  readonly cpus: number;
  /** Where the launcher connects its stream, if it does not inherit the stream on fd 3. */
  readonly socket: string | null;
  /** Named pipes for the program's output, for hosts that cannot hold the ends of anonymous pipes. */
  readonly output?: { readonly stdout: string; readonly stderr: string };
  /**
   * The launcher goes on as a harness in Python: one interpreter instead of two. For a host that starts it alone, with nothing
   * but `programEnvironment`: what a process started with stays readable inside.
   */
  readonly inPlace?: boolean;
  /** The host has compiled the launcher, starts it with the filter in force, and sets the limit of core dumps afterwards. */
  readonly prepared?: boolean;
  /** For `disk_guard.py`, which the launcher is a child of: folders without a size limit of their own. */
  readonly disks?: readonly { readonly path: string; readonly bytesMax: number }[];
  /** Limits that no cgroup enforces: processes of the user namespace, memory of each process. */
  readonly bare: { readonly processes: boolean; readonly memory: boolean };
};

/** With 0 the kernel still passes dumps to a program of the host (core_pattern), with 1 it does not. */
export const coreBytes = 1;

const filter = seccompFilter().toString('base64');
const mebibyte = 1024 * 1024;

/** The program and arguments of PID 1. The argument after the launcher's name is its whole configuration. */
export function launcherArgv(kind: CellKind, options: Options): readonly string[] {
  const { python, cpus, socket, output, disks = [] } = options;
  const isInPlace = options.inPlace === true && kind.language === 'python';
  const settings: Readonly<Record<string, readonly string[]>> = {
    ...(isInPlace
      ? { run: [`${sandboxPaths.executor}/in_place.py`, ...harnessArgv(kind, python)] }
      : { exec: harnessArgv(kind, python) }),
    env: pairs(programEnvironment(cpus)),
    filter: options.prepared ? [] : [filter],
    limit: pairs(resourceLimits(kind, options)),
    out: [sandboxPaths.out],
    socket: socket === null ? [] : [socket],
    stdout: output ? [output.stdout] : [],
    stderr: output ? [output.stderr] : [],
    disk: disks.map(({ path, bytesMax }) => `${path} ${bytesMax}`),
  };
  const lines = Object.entries(settings).flatMap(([word, values]) =>
    values.map((value) => `${word} ${value}`),
  );
  const file = options.prepared ? 'launcher.pyc' : 'launcher.py';
  // Without the libraries' start-up files, which take longer than the interpreter.
  return [python, '-I', '-S', '-B', `${sandboxPaths.executor}/${file}`, lines.join('\n')];
}

/** The whole environment of a program's interpreter, by name. */
export function programEnvironment(cpus: number): Readonly<Record<string, string | number>> {
  return {
    PATH: '/opt/timeloom/bin:/usr/local/bin:/usr/bin:/bin',
    HOME: sandboxPaths.temporary,
    TMPDIR: sandboxPaths.temporary,
    XDG_CACHE_HOME: sandboxPaths.temporary,
    MPLBACKEND: 'Agg',
    // Without this, libraries start a thread for each processor of the machine.
    OMP_NUM_THREADS: Math.max(1, Math.floor(cpus)),
    // Reuse the memory of large texts for the next call: returning it and faulting it in again takes longer than copying.
    MALLOC_MMAP_THRESHOLD_: mallocThresholdBytes,
    MALLOC_TRIM_THRESHOLD_: mallocThresholdBytes,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
}

function pairs(values: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

function harnessArgv({ language, limits }: CellKind, python: string): readonly string[] {
  if (language === 'javascript') return [sandboxPaths.node, `${sandboxPaths.executor}/harness.mjs`];
  const loaded = limits.memoryMb < loadingMemoryMbMin ? [] : preloadedLibraries;
  return [python, '-I', '-B', `${sandboxPaths.executor}/harness.py`, ...loaded];
}

function resourceLimits({ limits }: CellKind, { bare, prepared }: Options) {
  return {
    RLIMIT_FSIZE: limits.fileMb * mebibyte,
    RLIMIT_NOFILE: openFilesMax,
    ...(prepared ? {} : { RLIMIT_CORE: coreBytes }),
    ...(bare.processes ? { RLIMIT_NPROC: limits.processes + interpreterTasks } : {}),
    ...(bare.memory ? { RLIMIT_DATA: limits.memoryMb * mebibyte } : {}),
  };
}
