import { untilAborted } from '../../base/signal.ts';
import type { Reservation } from '../ports/turn-budget.ts';

/** What model answers in progress may still take from the budget of a turn: several can be in progress at the same time. */
export class BudgetReservations {
  readonly #reservations = new Set<Reservation>();
  #waiting: (() => void)[] = [];

  /** The sum of all reservations. */
  get reserved(): Reservation {
    const all = [...this.#reservations];
    const sum = (key: keyof Reservation) => all.reduce((total, each) => total + each[key], 0);
    return { tokens: sum('tokens'), costUsd: sum('costUsd') };
  }

  get isEmpty(): boolean {
    return this.#reservations.size === 0;
  }

  reserve(reservation: Reservation): Disposable {
    this.#reservations.add(reservation);
    return {
      [Symbol.dispose]: () => {
        this.#reservations.delete(reservation);
        for (const wake of this.#waiting.splice(0)) wake();
      },
    };
  }

  /** Resolves once one of them is released. Rejects with the reason of the signal. */
  released(signal: AbortSignal): Promise<void> {
    const freed = new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    return untilAborted(freed, signal);
  }
}
