import { closeTurn } from '../perform/close/close-turn.ts';
import { failTurn } from '../plan/plan.ts';
import type { WorkerSession } from '../session/session.ts';

/** A defect must not leave a turn open: everything open is settled, and the turn records the error. */
export async function abandonTurn(
  session: WorkerSession,
  error: { code: string; message: string },
): Promise<void> {
  const { openTurn, head } = await session.conversation.refresh();
  if (openTurn) await closeTurn(session, failTurn(openTurn, { error, head }));
}
