import { defaultProfile, type Profile } from '../../../supervisor/cell/profile.ts';
import { checkSandbox } from '../../../supervisor/execution/self-test.ts';
import { openDockerSandbox } from '../../adapters/docker/sandbox.ts';
import type { FargateSettings } from '../../adapters/fargate/settings/settings.ts';
import { openProcessSandbox } from '../../adapters/process/sandbox.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault, isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { isRefusal } from '../../base/refusal.ts';
import { Scope } from '../../base/scope.ts';
import { Work } from '../../base/signal.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import type { ExecMode, ExecSettings } from '../config/exec-settings.ts';

type Options = SandboxParts & {
  readonly mode: ExecMode;
  /** As in DOCKER_HOST; undefined: the default socket. */
  readonly dockerHost: string | undefined;
  /** For Docker: an image with Node and Python. */
  readonly base?: string;
  /** Idle executors kept for each kind of program; undefined: none. */
  readonly pool?: number;
  /** For mode fargate. */
  readonly fargate?: FargateSettings | undefined;
  /** Folders of the runtime that programs must not see. */
  readonly hidden?: readonly string[];
  readonly limits?: Pick<ExecSettings, 'cpus' | 'inodes' | 'runtime' | 'docker'>;
};

export type SandboxParts = {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Owns the sandbox. */
  readonly scope: Scope;
};

export type OpenedSandbox = {
  readonly sandbox?: Sandbox;
  /** Libraries that Python programs can import besides the standard library. */
  readonly libraries?: readonly string[];
  /** Why programs cannot run, and what to install. */
  readonly refusal?: string;
  /** One line for each backend that failed. */
  readonly tried: readonly string[];
};

/** Options of a backend. */
type Parts = Pick<
  Options,
  'dockerHost' | 'base' | 'fargate' | 'pool' | 'hidden' | 'blobs' | 'clock' | 'log'
> & {
  readonly profile: Profile;
  readonly runtime?: 'runc' | 'runsc' | 'crun';
  readonly layout?: 'split' | 'combined';
};

type Backend = {
  readonly name: string;
  /** Time limit of its first program, including the start of the sandbox. */
  readonly checkMs: number;
  readonly open: (options: Parts) => Promise<Sandbox & AsyncDisposable>;
};

const checkMsMax = 30_000;
const taskCheckMsMax = 240_000;
const install = 'install bubblewrap and python3 (Debian: apt-get install bubblewrap python3)';
const engine =
  'a Docker engine: start one, or set DOCKER_HOST to its address (unix:///… or tcp://host:port)';

const processBackend: Backend = {
  name: 'process',
  checkMs: checkMsMax,
  open: openProcessSandbox,
};
const dockerBackend: Backend = {
  name: 'docker',
  checkMs: checkMsMax,
  open: openDockerSandbox,
};
const fargateBackend: Backend = {
  name: 'fargate',
  checkMs: taskCheckMsMax,
  open: async ({ fargate: settings, ...parts }) => {
    if (settings === undefined)
      throw new Fault('CONFIG_INVALID', { because: 'exec.fargate is missing in assembly.yaml' });
    const { openFargate } = await import('./open-fargate.ts');
    return openFargate({ ...parts, settings });
  },
};

/**
 * Opens the sandbox of a mode. `auto` uses the first backend that passes the isolation check, Docker before the
 * process sandbox. It never uses a backend that does not isolate programs.
 */
export async function openSandbox(options: Options): Promise<OpenedSandbox> {
  const tried: string[] = [];
  for (const backend of backendsOf(options)) {
    const result = await tryBackend(backend, options);
    if (result.kind === 'open') {
      const { sandbox, libraries } = result;
      return { sandbox, libraries, tried };
    }
    tried.push(`${backend.name}: ${result.because}`);
  }
  if (options.mode === 'off') return { tried };
  const refusal = `no sandbox is available to isolate generated code (${tried.join('; ')}); ${remedy(options)}`;
  return { refusal, tried };
}

/** The fix for the configured mode. */
function remedy({ mode, limits }: Options): string {
  if (mode === 'fargate') return 'correct exec.fargate in assembly.yaml';
  if (isDockerConfigured(limits)) return `correct exec in assembly.yaml; it requires ${engine}`;
  if (mode === 'docker') return `mode docker requires ${engine}`;
  return mode === 'process' ? install : `${install}, or Docker`;
}

/** Settings of Docker require Docker; no other backend replaces it. */
function isDockerConfigured(limits: Options['limits']): boolean {
  return limits?.runtime !== undefined || limits?.docker !== undefined;
}

function backendsOf({ mode, limits }: Options): readonly Backend[] {
  switch (mode) {
    case 'off':
      return [];
    case 'process':
      return [processBackend];
    case 'docker':
      return [dockerBackend];
    case 'auto':
      return isDockerConfigured(limits) ? [dockerBackend] : [dockerBackend, processBackend];
    case 'fargate':
      return [fargateBackend];
  }
}

type Attempt =
  | { readonly kind: 'open'; readonly sandbox: Sandbox; readonly libraries: readonly string[] }
  | { readonly kind: 'closed'; readonly because: string };

async function tryBackend({ open, checkMs }: Backend, options: Options): Promise<Attempt> {
  const own = new Scope();
  try {
    const sandbox = own.own(await open(toParts(options)));
    using work = new Work(new AbortController().signal, { deadlineMs: checkMs });
    const id = `exec_check${process.pid.toString(36)}${Date.now().toString(36)}`;
    const found = await checkSandbox(sandbox, { signal: work.signal, id });
    if (!found.ok) {
      await own[Symbol.asyncDispose]();
      return { kind: 'closed', because: found.because };
    }
    options.scope.own(own);
    const { memory, libraries } = found;
    options.log.info('sandbox open', { backend: sandbox.backend, memory, libraries });
    return { kind: 'open', sandbox, libraries };
  } catch (error) {
    await own[Symbol.asyncDispose]();
    if (!isRefusal(error) && !isFault(error)) throw error;
    return { kind: 'closed', because: error.message };
  }
}

function toParts({ limits, mode: _, scope: __, ...parts }: Options): Parts {
  const { cpus = defaultProfile.cpus, inodes = defaultProfile.inodes } = limits ?? {};
  const { runtime, docker: layout } = limits ?? {};
  return {
    ...parts,
    profile: { ...defaultProfile, cpus, inodes },
    ...(runtime === undefined ? {} : { runtime }),
    ...(layout === undefined ? {} : { layout }),
  };
}
