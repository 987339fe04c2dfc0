import { closeTurn } from '../perform/close/close-turn.ts';
import { giveUpOn } from '../plan/plan.ts';
import type { Visit } from '../session/session.ts';

/** A defect must not leave a turn open: everything open is settled, and the turn says why it failed. */
export async function abandonTurn(
  visit: Visit,
  error: { code: string; message: string },
): Promise<void> {
  const { openTurn, head } = await visit.owned.refresh();
  if (openTurn) await closeTurn(visit, giveUpOn(openTurn, { error, head }));
}
