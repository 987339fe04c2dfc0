import type { Clock } from '../../runtime/base/clock.ts';
import { Fault } from '../../runtime/base/fault.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Scope } from '../../runtime/base/scope.ts';
import type { BlobStore } from '../../runtime/timeline/ports/blobs.ts';
import type {
  ExecHost,
  ExecRequest,
  ProgramKind,
  Sandbox,
} from '../../runtime/tools/ports/sandbox.ts';
import type { CellKind, OpenCell } from '../cell/cell.ts';
import { clampLimits, type Profile } from '../cell/profile.ts';
import { CellPool } from '../pool/pool.ts';
import { runExecution } from './run-execution.ts';

export type SandboxParts = {
  readonly backend: string;
  readonly open: OpenCell;
  /** Whether a cell must be opened with this top folder of its inputs; most backends can stage inputs in any cell. */
  readonly opensWith?: (folder: string) => boolean;
  /** Waiting executors for each kind of program. */
  readonly pool: number;
  /** See `Sandbox`. */
  readonly sharesNetwork?: boolean;
  /** Attempts to start a program that has not begun; default 2. A backend that retries itself sets 1. */
  readonly startsMax?: number;
  readonly profile: Profile;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Resources that the cells use; closed after the last cell. */
  readonly scope: Scope;
};

/** Creates a sandbox from a function that opens cells: pool, run and result are the same for every backend. */
export function createSandbox(parts: SandboxParts): Sandbox & AsyncDisposable {
  return new PooledSandbox(parts);
}

class PooledSandbox implements Sandbox, AsyncDisposable {
  readonly backend: string;
  readonly languages = ['python', 'javascript'] as const;
  readonly sharesNetwork: boolean;
  readonly #parts: SandboxParts;
  readonly #pool: CellPool;
  readonly #teardowns = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: SandboxParts) {
    this.backend = parts.backend;
    this.sharesNetwork = parts.sharesNetwork ?? false;
    this.#parts = parts;
    this.#pool = new CellPool({ ...parts, size: parts.pool });
  }

  prepare(kind: ProgramKind): Disposable {
    return this.#pool.expect(this.#kindOf(kind));
  }

  keep(kinds: readonly ProgramKind[]): void {
    this.#pool.keep(kinds.map((kind) => this.#kindOf(kind)));
  }

  run(asked: ExecRequest, host: ExecHost, { signal }: { signal: AbortSignal }) {
    if (this.#closed) throw new Fault('EXEC_FAILED', { because: 'the sandbox is closed' });
    const { backend, blobs, clock, log, profile, startsMax = 2 } = this.#parts;
    const request = { ...asked, limits: clampLimits(asked.limits, profile) };
    return runExecution(request, host, {
      backend,
      startsMax,
      take: (one, options) =>
        this.#pool.take(this.#kindOf({ ...one, folders: foldersOf(one) }), options),
      finish: (teardown) => this.#finish(teardown),
      blobs,
      clock,
      log,
      signal,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#teardowns);
    await this.#pool[Symbol.asyncDispose]();
    await this.#parts.scope[Symbol.asyncDispose]();
  }

  #finish(teardown: Promise<void>): void {
    const kept = teardown.finally(() => this.#teardowns.delete(kept));
    this.#teardowns.add(kept);
  }

  #kindOf({ language, limits, folders = [] }: ProgramKind): CellKind {
    const { profile, opensWith = () => false } = this.#parts;
    const { timeoutMs: _, ...rest } = clampLimits(limits, profile);
    const own = new Set(folders.filter(opensWith));
    return { language, limits: rest, folders: [...own].toSorted() };
  }
}

function foldersOf({ inputs }: ExecRequest): readonly string[] {
  const fixed = inputs.filter(({ writable }) => !writable);
  return fixed.map(({ filepath }) => filepath.slice(0, filepath.indexOf('/')));
}
