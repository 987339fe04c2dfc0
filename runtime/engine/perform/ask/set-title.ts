import type { TurnView } from '../../../timeline/view.ts';
import { titleCharsMax } from '../../limits.ts';
import type { Visit } from '../../session/session.ts';

/** A conversation is called by the first line of its first prompt until somebody names it. */
export async function entitle(visit: Visit, turn: TurnView): Promise<void> {
  const { owned, engine } = visit;
  if (owned.lease.row.title !== undefined || owned.view.turns.length > 1) return;
  const line =
    turn.events
      .find((event) => event.type === 'user.prompt')
      ?.text?.trim()
      .split('\n')[0] ?? '';
  if (line === '') return;
  const title =
    line.length > titleCharsMax ? `${line.slice(0, titleCharsMax - 1).toWellFormed()}…` : line;
  await engine.store.setTitle(owned.lease.row.key, title, { signal: owned.signal });
}
