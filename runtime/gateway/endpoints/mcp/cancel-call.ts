import { toTurnId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { McpCaller } from './messages/caller.ts';

/** Stops the turn of a call. A call that has ended, or that another request began, is left alone. */
export async function cancelCall(caller: McpCaller, message: string): Promise<void> {
  const { parts, sender, conversation, signal } = caller;
  const { store, ids } = parts.deps;
  const row = await store.find(sender, conversation, { signal });
  if (row?.openTurn === undefined) return;
  const prompt = await store.atPath(row.key, paths.prompt(toTurnId(row.openTurn)), { signal });
  if (prompt?.event === undefined || !prompt.event.startsWith(message)) return;
  const stop = {
    conversation_id: conversation,
    message_id: ids.next('msg'),
    kind: 'steer',
    text: '',
    expected_turn_id: row.openTurn,
  };
  await parts.intake.take(sender, stop, { signal });
}
