import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { runExecution } from '../../../supervisor/run.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecHost, ExecRequest, Sandbox } from '../../tools/sandbox.ts';
import { type CellParts, openDockerCell } from './cell.ts';
import { connectDocker } from './connect.ts';
import { baseDefault, ensureImages } from './images.ts';
import { reapEveryMs } from './limits.ts';
import { reap, toLabels } from './reap.ts';

type Options = {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  /** As in DOCKER_HOST; the usual socket if undefined. */
  readonly dockerHost: string | undefined;
  /** An image with Node and Python to build the sandbox images on. */
  readonly base?: string;
  /** Network of supervisors; executors have none. */
  readonly network?: string;
  readonly cpus?: number;
};

/**
 * Generated code in Docker: a supervisor and an executor for each execution. Refusals
 * `docker_missing` and `image_missing`; the sandbox images themselves are built when they are not there.
 */
export async function openDockerSandbox(options: Options): Promise<Sandbox & AsyncDisposable> {
  const { dockerHost, base = baseDefault, network = 'none', cpus = 1 } = options;
  const docker = await connectDocker(dockerHost);
  const images = await ensureImages(docker, { base });
  const owner = `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;
  const labels = ({ id, limits }: ExecRequest) =>
    toLabels({
      execution: id,
      owner,
      deadlineMs: options.clock.now() + limits.timeoutMs,
    });
  const { blobs, log, clock } = options;
  return new DockerSandbox({ docker, images, network, cpus, labels, blobs, log, clock });
}

class DockerSandbox implements Sandbox, AsyncDisposable {
  readonly backend = 'docker';
  readonly languages = ['python', 'javascript'] as const;
  readonly #parts: CellParts & { readonly clock: Clock };
  readonly #pending = new Set<Promise<void>>();
  readonly #reaper: NodeJS.Timeout;
  #closed = false;

  constructor(parts: CellParts & { readonly clock: Clock }) {
    this.#parts = parts;
    this.#reaper = setInterval(() => this.#reap(), reapEveryMs).unref();
    this.#reap();
  }

  run(request: ExecRequest, host: ExecHost, { signal }: { signal: AbortSignal }) {
    if (this.#closed) throw new Fault('EXEC_FAILED', { because: 'the sandbox is closed' });
    const { blobs, clock, log } = this.#parts;
    return runExecution(request, host, {
      backend: this.backend,
      openCell: (asked, options) => openDockerCell(asked, this.#parts, options),
      finish: (teardown) => this.#await(teardown),
      blobs,
      clock,
      log,
      signal,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#reaper);
    await Promise.all(this.#pending);
  }

  #reap(): void {
    const { docker, clock, log } = this.#parts;
    const sweep = reap(docker, { nowMs: clock.now() }).then(
      (count) => (count > 0 ? log.info('orphans removed', { count }) : undefined),
      (error: unknown) => log.warn('orphans not removed', { error }),
    );
    this.#await(sweep);
  }

  #await(work: Promise<void>): void {
    const kept = work.finally(() => this.#pending.delete(kept));
    this.#pending.add(kept);
  }
}
