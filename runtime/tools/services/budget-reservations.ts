import { untilAborted } from '../../base/signal.ts';
import type { Reservation } from '../ports/turn-budget.ts';

/** What answers on their way may still take from the budget of a turn: they are asked for side by side. */
export class BudgetRoom {
  readonly #held = new Set<Reservation>();
  #freed: (() => void)[] = [];

  /** All that is on its way. */
  get held(): Reservation {
    const all = [...this.#held];
    const sum = (key: keyof Reservation) => all.reduce((total, each) => total + each[key], 0);
    return { tokens: sum('tokens'), costUsd: sum('costUsd') };
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  hold(reservation: Reservation): Disposable {
    this.#held.add(reservation);
    return {
      [Symbol.dispose]: () => {
        this.#held.delete(reservation);
        for (const wake of this.#freed.splice(0)) wake();
      },
    };
  }

  /** Until one of them has come, or was given up. Rejects with the signal's reason. */
  freed(signal: AbortSignal): Promise<void> {
    const freed = new Promise<void>((resolve) => {
      this.#freed.push(resolve);
    });
    return untilAborted(freed, signal);
  }
}
