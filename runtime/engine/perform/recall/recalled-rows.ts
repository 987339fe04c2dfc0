import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { WorkerSession } from '../../session/session.ts';
import { existingFacts } from './existing-facts.ts';

/**
 * Rows of ANNOUNCE: the facts that were looked up for this turn, without those that have been forgotten since. If that
 * cannot be checked, there are none: a forgotten fact must not come back.
 */
export async function recalledRows(session: WorkerSession): Promise<readonly string[]> {
  const block = session.turn.blocks.findLast(({ type }) => type === 'memory.recalled');
  const { facts = [] } = (block && dataOf('memory.recalled', block)) ?? {};
  const left = await existingFacts(
    session,
    facts.map(({ id }) => id),
  );
  return facts
    .filter(({ id }) => left?.has(id))
    .map(({ text, at }) => `${text} (${at.slice(0, 10)})`);
}
