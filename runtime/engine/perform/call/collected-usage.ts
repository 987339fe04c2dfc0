import type { Draft } from '../../../timeline/block.ts';
import type { TurnBudget } from '../../../tools/ports/turn-budget.ts';
import type { WorkerSession } from '../../session/session.ts';
import { callBudget } from './call-budget.ts';

/** The budget of a step whose charges are appended together with its outcome. */
export function collectingBudget(session: WorkerSession, usage: Draft[]): TurnBudget {
  const turn = session.turn.id;
  const { clock } = session.engine;
  const budget = callBudget(session);
  let started = clock.monotonic();
  return {
    get isSpent() {
      return budget.isSpent;
    },
    get leftMs() {
      return budget.leftMs;
    },
    reserve: async (most, options) => {
      const room = await budget.reserve(most, options);
      started = clock.monotonic();
      return room;
    },
    charge: async (data) => {
      const ms = Math.round(clock.monotonic() - started);
      usage.push({ type: 'model.call', turn, author: 'system', data: { ...data, ms } });
    },
  };
}
