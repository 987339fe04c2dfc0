import { addAbortListener } from 'node:events';
import type { Clock } from '../../runtime/base/clock.ts';
import { isFault } from '../../runtime/base/fault.ts';
import type { KillReason } from '../../runtime/tools/ports/sandbox.ts';
import type { Cell } from '../cell/cell.ts';
import type { Executor } from '../connection/serve-executor.ts';
import { stopGraceMs } from './limits.ts';

type Parts = {
  readonly cell: Cell;
  readonly executor: Executor;
  readonly signal: AbortSignal;
  readonly clock: Clock;
};

/** Ends an execution for reasons other than the program itself. The first reason wins. */
export class Termination implements Disposable {
  readonly #cell: Cell;
  readonly #executor: Executor;
  readonly #clock: Clock;
  readonly #tie: Disposable;
  /** Aborted when the last process is gone and nothing has to be ended. */
  readonly #over = new AbortController();
  #reason: KillReason | null = null;

  constructor({ cell, executor, signal, clock }: Parts) {
    this.#cell = cell;
    this.#executor = executor;
    this.#clock = clock;
    this.#tie = addAbortListener(signal, () => this.stop('cancelled'));
    executor.ended.catch((error: unknown) => this.kill(reasonOf(error)));
  }

  get reason(): KillReason | null {
    return this.#reason;
  }

  /** Asks first and kills soon after; what the program has written by then is collected in both cases. */
  stop(reason: KillReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    // The program may not be reading; the grace period covers that too.
    if (this.#cell.terminate) this.#cell.terminate();
    else this.#executor.cancel().catch(() => this.#cell.kill());
    this.after(stopGraceMs, () => this.#cell.kill());
  }

  kill(reason: KillReason): void {
    this.#reason ??= reason;
    this.#cell.kill();
  }

  /** Runs `act` after `ms` milliseconds, unless this is disposed of before. */
  after(ms: number, act: () => void): void {
    const { signal } = this.#over;
    this.#clock.sleep(ms, { signal }).then(act, () => undefined);
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#tie[Symbol.dispose]();
  }
}

export function reasonOf(error: unknown): KillReason {
  return isFault(error) && error.code === 'EXEC_PROTOCOL' ? 'protocol' : 'lost';
}
