import { randomIds } from '../../../adapters/system/ids.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { StoredConversation } from './open-conversation.ts';

/** `timeloom timeline fork`: a conversation of the same user that goes on from a block of this one. */
export async function fork(
  { row, store, signal }: StoredConversation,
  { json, at = row.head }: { json: boolean; at: number | undefined },
): Promise<number> {
  const asked = { conversation: row.id, at, newConversation: randomIds.next('conv') };
  const forked = await store.fork(row, asked, { signal });
  if (forked.status !== 'forked') throw new Refusal('invalid_input', `--at: 1 to ${row.head}`);
  const { id, openTurn } = forked.row;
  const facts = { conversation: id, forked_from: { conversation: row.id, seq: at } };
  const words =
    openTurn === undefined
      ? `${id} goes on from block ${at}`
      : `${id} goes on from block ${at}; the turn open there ends when a worker looks at it`;
  process.stdout.write(`${json ? JSON.stringify(facts) : words}\n`);
  return 0;
}
