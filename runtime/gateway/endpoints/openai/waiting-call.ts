import { Refusal } from '../../../base/refusal.ts';
import { toCallId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { ConversationRow, Sender, TimelineStore } from '../../../timeline/ports/store.ts';
import { waitingConversationsMax } from './limits.ts';

type Lookup = { readonly store: TimelineStore; readonly signal: AbortSignal };

/**
 * The conversation whose open turn waits for the call: clients name only the call. Refusal `invalid_input`; `place` names
 * the field in its message.
 */
export async function conversationWaitingFor(
  sender: Sender,
  { call, place }: { readonly call: string; readonly place: string },
  { store, signal }: Lookup,
): Promise<ConversationRow> {
  const rows = await store.list(sender, { limit: waitingConversationsMax, signal });
  const found = await Promise.all(
    rows.map(async (row) => {
      if (row.openTurn === undefined) return undefined;
      const path = paths.external(row.openTurn, 'call', toCallId(call));
      return (await store.atPath(row.key, path, { signal })) && row;
    }),
  );
  const row = found.find((each) => each !== undefined);
  if (row) return row;
  const message = `${place}: no turn waits for the call "${call.slice(0, 200)}"`;
  throw new Refusal('invalid_input', message, { facts: { reason: 'tool_call_not_found' } });
}
