import { addAbortListener } from 'node:events';
import { Fault } from '../../../runtime/base/fault.ts';
import type { Log } from '../../../runtime/base/log.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { Cancelled, untilAborted } from '../../../runtime/base/signal.ts';
import type { LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { Supervise, Supervisor } from '../../../runtime/sdk/compile/lifecycle/supervisor.ts';
import type { BundleJob, BundleOperation } from '../../../runtime/sdk/contract/runtime-bundle.ts';
import type { HookRunner } from '../../../runtime/sdk/contract/runtime-hooks.ts';
import type { Tool } from '../../../runtime/tools/ports/tool.ts';
import {
  callsInFlightMax,
  drainMsMax,
  idleMsMax,
  restartMs,
  restartMsMax,
  steadyMs,
} from '../rpc/limits.ts';
import { BundleProcess, type ProcessParts } from './bundle-process.ts';
import { ProcessLost } from './process-lost.ts';
import { remoteHooks } from './remote-hooks.ts';
import { remoteTool } from './remote-tool.ts';

/** Runs bundles in separate processes, so that an endless loop or a crash only ends the process of its bundle. */
export function superviseSeparately(parts: ProcessParts): Supervise {
  return (loaded) => new SeparateSupervisor(loaded, parts);
}

/** A process that serves calls until `over`. */
type RunningProcess = {
  readonly process: BundleProcess;
  readonly sinceMs: number;
  readonly over: AbortController;
};

/**
 * Keeps one process for one revision of a tenant's bundle: starts it on demand, stops it when it is idle, and
 * restarts it after a failure, with an increasing delay.
 */
class SeparateSupervisor implements Supervisor {
  readonly #loaded: LoadedBundle;
  readonly #parts: ProcessParts;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #leaving = new Set<Promise<void>>();
  #starting: Promise<BundleProcess> | undefined;
  #serving: RunningProcess | undefined;
  #calls = 0;
  #usedMs = 0;
  #failures = 0;
  #startMs = 0;

  constructor(loaded: LoadedBundle, parts: ProcessParts) {
    this.#loaded = loaded;
    this.#parts = parts;
    const { definition, revision } = loaded;
    this.#log = loaded.host.log.with({ bundle: definition.id, revision });
  }

  tool(compiled: Tool, agent: string): Tool {
    return remoteTool(compiled, agent, (order, request) =>
      this.#inProcess(request.context.signal, (process) => process.runTool(order, request)),
    );
  }

  operation(compiled: BundleOperation): BundleOperation {
    const { id } = compiled;
    return {
      ...compiled,
      answer: (request, asking) =>
        this.#inProcess(asking.signal, (process) => process.answer(id, request, asking)).catch(
          (error: unknown) => {
            asking.signal.throwIfAborted();
            throw error instanceof ProcessLost ? failed(error.message, error) : error;
          },
        ),
    };
  }

  hooks(compiled: HookRunner): HookRunner {
    return remoteHooks(compiled, (signal, act) => this.#inProcess(signal, act));
  }

  /** Knowledge would run in this process, which must not run the bundle's code. */
  knowledge(): undefined {
    return undefined;
  }

  job(compiled: BundleJob): BundleJob {
    const { id } = compiled;
    return {
      ...compiled,
      run: (input, { signal }) =>
        this.#inProcess(signal, (process) => process.runJob({ job: id, input }, signal)).catch(
          (error: unknown) => {
            signal.throwIfAborted();
            throw error instanceof ProcessLost ? failed(error.message, error) : error;
          },
        ),
    };
  }

  async open(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#ready(), signal);
  }

  /** A process that starts later gets the new props at its start. */
  async propsChanged(signal: AbortSignal): Promise<void> {
    const started = await untilAborted(
      Promise.resolve(this.#starting).catch(() => undefined),
      signal,
    );
    await started?.replaceProps(this.#loaded.props.source);
  }

  warm(): void {
    this.#touch();
    // A failed start is logged, and callers of a tool get the error.
    this.#ready().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Cancelled('shutdown'));
    await this.#starting?.catch(() => undefined);
    if (this.#serving) this.#dismiss(this.#serving);
    await Promise.all(this.#leaving);
  }

  async #inProcess<Answer>(
    signal: AbortSignal,
    act: (process: BundleProcess) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#calls >= callsInFlightMax) {
      const because = `${callsInFlightMax} calls of its bundle are running`;
      throw new Refusal('busy', `${because}; try again later.`, { retryable: true });
    }
    this.#calls += 1;
    this.#touch();
    try {
      return await act(await untilAborted(this.#ready(), signal));
    } finally {
      this.#calls -= 1;
      this.#touch();
    }
  }

  #touch(): void {
    this.#usedMs = this.#parts.clock.monotonic();
  }

  /** Faults `BUNDLE_INVALID`, `SUPERVISOR_FAILED`. */
  #ready(): Promise<BundleProcess> {
    if (this.#serving?.process.isCrowded) this.#dismiss(this.#serving);
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<BundleProcess> {
    const { clock } = this.#parts;
    const { signal } = this.#closing;
    try {
      const waitMs = this.#startMs - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, { signal });
      signal.throwIfAborted();
      return await this.#open(signal);
    } catch (error) {
      this.#starting = undefined;
      if (signal.aborted) throw failed('the bundle is no longer served', error);
      this.#fail(error);
      throw error instanceof ProcessLost ? failed(error.message, error) : error;
    }
  }

  async #open(signal: AbortSignal): Promise<BundleProcess> {
    const process = new BundleProcess(this.#loaded, this.#parts);
    using _tie = addAbortListener(signal, () => process.kill('it was no longer needed'));
    try {
      await process.ready;
    } catch (error) {
      process.kill('it could not be opened');
      await process.ended;
      throw error;
    }
    this.#serve({ process, sinceMs: this.#parts.clock.monotonic(), over: new AbortController() });
    return process;
  }

  #serve(serving: RunningProcess): void {
    const { process, over } = serving;
    this.#serving = serving;
    // Its start counts as use: nothing may have called the bundle yet.
    this.#touch();
    this.#log.info('supervisor started', { pid: process.pid });
    void this.#stopWhenIdle(serving);
    void process.ended.then((because) => {
      if (this.#serving !== serving) return;
      over.abort();
      this.#serving = undefined;
      this.#starting = undefined;
      if (this.#parts.clock.monotonic() - serving.sinceMs >= steadyMs) this.#failures = 0;
      this.#fail(new ProcessLost(because));
    });
  }

  async #stopWhenIdle(serving: RunningProcess): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = serving.over;
    while (!signal.aborted) {
      const idleMs = this.#calls > 0 ? 0 : clock.monotonic() - this.#usedMs;
      if (idleMs >= idleMsMax) this.#dismiss(serving);
      else await clock.sleep(idleMsMax - idleMs, { signal }).catch(() => undefined);
    }
  }

  /** Lets the process finish its calls and end; it gets no new ones. */
  #dismiss({ process, over }: RunningProcess): void {
    over.abort();
    this.#serving = undefined;
    this.#starting = undefined;
    const leaving = process.stop({ drainMs: drainMsMax }).then(() => {
      this.#leaving.delete(leaving);
      this.#log.info('supervisor stopped', { pid: process.pid });
    });
    this.#leaving.add(leaving);
  }

  #fail(error: unknown): void {
    const waitMs = Math.min(restartMs * 2 ** this.#failures, restartMsMax);
    this.#failures += 1;
    this.#startMs = this.#parts.clock.monotonic() + waitMs;
    this.#log.warn('supervisor failed', { error, failures: this.#failures, waitMs });
  }
}

function failed(because: string, cause: unknown): Fault {
  return new Fault('SUPERVISOR_FAILED', { because }, { cause });
}
