import type { Work } from '../../../base/signal.ts';
import { isSpent, leftMs } from '../../plan/budget.ts';
import type { WorkerSession } from '../../session/session.ts';
import type { ExternalPermissions } from './external-permissions.ts';
import { externalApprovalHoldMs, externalIdleMsMax, externalWatchMs } from './limits.ts';

/** Why a running program was stopped by this runtime. */
export type StopCause = 'time' | 'silence' | 'hold';

/** Stops a program whose time is over, that does nothing, or that has waited too long for a decision. */
export class ExternalWatch {
  readonly #session: WorkerSession;
  readonly #permissions: ExternalPermissions;
  readonly #work: Work;
  #lastMs: number;
  cause: StopCause | undefined;

  constructor(session: WorkerSession, permissions: ExternalPermissions, work: Work) {
    this.#session = session;
    this.#permissions = permissions;
    this.#work = work;
    this.#lastMs = session.engine.clock.monotonic();
  }

  noteActivity(): void {
    this.#lastMs = this.#session.engine.clock.monotonic();
  }

  /** Watches until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#session.engine;
    while (!signal.aborted) {
      this.cause ??= this.#find();
      if (this.cause) return this.#work.stop('deadline');
      await clock.sleep(externalWatchMs, { signal }).catch(() => undefined);
    }
  }

  #find(): StopCause | undefined {
    const { turn, budgets, engine } = this.#session;
    const { wallMs, tokens: tokensMax, costUsd: costUsdMax } = budgets;
    if (this.#permissions.isWaiting) {
      this.noteActivity();
      return this.#permissions.waitedMs > externalApprovalHoldMs ? 'hold' : undefined;
    }
    if (leftMs(turn, { wallMs, now: engine.clock.now() }) <= 0) return 'time';
    if (isSpent(turn, { tokensMax, costUsdMax })) return 'time';
    return engine.clock.monotonic() - this.#lastMs > externalIdleMsMax ? 'silence' : undefined;
  }
}
