import { randomIds } from '../../../adapters/system/ids.ts';
import { Refusal } from '../../../base/refusal.ts';
import { toSeq } from '../../../timeline/ids.ts';
import type { StoredConversation } from './open-conversation.ts';

/** `timeloom timeline fork`: creates a conversation of the same user that continues from a block of this one. */
export async function fork(
  { row, store, signal }: StoredConversation,
  { json, at = row.head }: { json: boolean; at: number | undefined },
): Promise<number> {
  const request = { conversation: row.id, at: toSeq(at), newConversation: randomIds.next('conv') };
  const forked = await store.fork(row, request, { signal });
  if (forked.status !== 'forked')
    throw new Refusal('invalid_input', `--at: must be between 1 and ${row.head}`);
  const { id, openTurn } = forked.row;
  const facts = { conversation: id, forked_from: { conversation: row.id, seq: at } };
  const message =
    openTurn === undefined
      ? `${id} continues from block ${at}`
      : `${id} continues from block ${at}; the turn that is open there ends when a worker processes it`;
  process.stdout.write(`${json ? JSON.stringify(facts) : message}\n`);
  return 0;
}
