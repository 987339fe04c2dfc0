import { Refusal } from '../../base/refusal.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { OpenLog } from '../inspect/open-log.ts';
import type { Engine } from '../ports/engine.ts';

/**
 * The fork that ends before a turn. Undefined: nothing precedes the turn, so a new conversation begins with it. Refusal
 * `not_found`: the conversation was erased.
 */
export async function forkBefore(
  { store, ids }: Pick<Engine, 'store' | 'ids'>,
  { row, signal }: Pick<OpenLog, 'row' | 'signal'>,
  openSeq: number,
): Promise<string | undefined> {
  if (openSeq <= 1) return undefined;
  const { tenant, project, user, id: conversation } = row;
  const newConversation = ids.next('conv');
  const request = { conversation, at: toSeq(openSeq - 1), newConversation };
  const fork = await store.fork({ tenant, project, user }, request, { signal });
  if (fork.status !== 'forked') throw new Refusal('not_found', `${conversation} cannot be forked`);
  return newConversation;
}
