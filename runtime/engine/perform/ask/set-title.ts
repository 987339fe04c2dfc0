import type { TurnView } from '../../../timeline/view.ts';
import { titleCharsMax } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Titles a conversation with the first line of its first prompt, until a user names it. */
export async function setTitle(session: WorkerSession, turn: TurnView): Promise<void> {
  const { conversation, engine } = session;
  if (conversation.lease.row.title !== undefined || conversation.view.turns.length > 1) return;
  const line =
    turn.events
      .find((event) => event.type === 'user.prompt')
      ?.text?.trim()
      .split('\n')[0] ?? '';
  if (line === '') return;
  const title =
    line.length > titleCharsMax ? `${line.slice(0, titleCharsMax - 1).toWellFormed()}…` : line;
  const { row } = conversation.lease;
  await engine.store.setTitle(row.key, title, { signal: conversation.signal });
  engine.bus.touch(row);
}
