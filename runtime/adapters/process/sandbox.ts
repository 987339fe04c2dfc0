import { runExecution } from '../../../supervisor/run.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecHost, ExecRequest, Sandbox } from '../../tools/sandbox.ts';
import { openProcessCell } from './open-cell.ts';
import { findBubblewrap, findPython, openStage, type Stage } from './stage.ts';

type Options = { readonly blobs: BlobStore; readonly clock: Clock; readonly log: Log };

/**
 * Generated code in a bubblewrap sandbox on this machine. Refusal `sandbox_missing` when bubblewrap
 * or Python is not installed; that they work here is what `checkSandbox` finds out.
 */
export async function openProcessSandbox(options: Options): Promise<Sandbox & AsyncDisposable> {
  if (process.platform !== 'linux') {
    throw new Refusal('sandbox_missing', 'the process sandbox needs Linux; install Docker instead');
  }
  const bwrap = await findBubblewrap();
  if (bwrap === undefined) throw new Refusal('sandbox_missing', 'install bubblewrap');
  const python = await findPython();
  if (python === undefined) throw new Refusal('sandbox_missing', 'install python3');
  return new ProcessSandbox({ ...options, bwrap, python, stage: await openStage() });
}

type Parts = Options & { readonly bwrap: string; readonly python: string; readonly stage: Stage };

class ProcessSandbox implements Sandbox, AsyncDisposable {
  readonly backend = 'process';
  readonly languages = ['python', 'javascript'] as const;
  readonly #parts: Parts;
  readonly #teardowns = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  run(request: ExecRequest, host: ExecHost, { signal }: { signal: AbortSignal }) {
    if (this.#closed) throw new Fault('EXEC_FAILED', { because: 'the sandbox is closed' });
    const { blobs, clock, log } = this.#parts;
    return runExecution(request, host, {
      backend: this.backend,
      openCell: (asked, options) => openProcessCell(asked, this.#parts, options),
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
    await this.#parts.stage[Symbol.asyncDispose]();
  }

  #finish(teardown: Promise<void>): void {
    const kept = teardown.finally(() => this.#teardowns.delete(kept));
    this.#teardowns.add(kept);
  }
}
