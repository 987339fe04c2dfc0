import { addAbortListener } from 'node:events';
import { isFault } from '../runtime/base/fault.ts';
import type { KillReason } from '../runtime/tools/sandbox.ts';
import type { Cell } from './cell.ts';
import { stopGraceMs } from './limits.ts';
import type { Executor } from './serve.ts';

type Parts = { readonly cell: Cell; readonly executor: Executor; readonly signal: AbortSignal };

/** Everything but the program itself that may end an execution. The first reason is the one that stays. */
export class Ending implements Disposable {
  readonly #cell: Cell;
  readonly #executor: Executor;
  readonly #tie: Disposable;
  #reason: KillReason | null = null;
  #grace: NodeJS.Timeout | undefined;

  constructor({ cell, executor, signal }: Parts) {
    this.#cell = cell;
    this.#executor = executor;
    this.#tie = addAbortListener(signal, () => this.stop('cancelled'));
    executor.ended.catch((error: unknown) => this.kill(reasonOf(error)));
  }

  get reason(): KillReason | null {
    return this.#reason;
  }

  /** Ask first, kill soon: what the program has written by then is collected either way. */
  stop(reason: KillReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    // The program may not be reading; the grace covers that as well.
    if (this.#cell.terminate) this.#cell.terminate();
    else this.#executor.cancel().catch(() => this.#cell.kill());
    this.#grace = setTimeout(() => this.#cell.kill(), stopGraceMs);
  }

  kill(reason: KillReason): void {
    this.#reason ??= reason;
    this.#cell.kill();
  }

  /** `act` unless disposed within `ms`. */
  within(ms: number, act: () => void): Disposable {
    const timer = setTimeout(act, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#grace);
    this.#tie[Symbol.dispose]();
  }
}

export function reasonOf(error: unknown): KillReason {
  return isFault(error) && error.code === 'EXEC_PROTOCOL' ? 'protocol' : 'lost';
}
