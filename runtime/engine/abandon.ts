import { settle } from '../timeline/close-turn.ts';
import { turnClose } from './close.ts';
import type { Visit } from './visit.ts';

/** A defect or an unreachable world must not leave a turn open: everything open is settled, and the turn says why it failed. */
export async function abandonTurn(
  visit: Visit,
  error: { code: string; message: string },
): Promise<void> {
  const view = await visit.owned.refresh();
  const turn = view.openTurn;
  if (!turn) return;
  const settled = settle(view, { reason: 'interrupted', now: visit.now });
  const close = turnClose(turn, { reason: 'failed', error, more: settled });
  const asOf = turn.rounds.at(-1)?.asOf ?? view.head;
  await visit.owned.append([...settled, close], { asOf });
}
