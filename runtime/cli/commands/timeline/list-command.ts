import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { nameOf } from '../../config/projects/project-settings.ts';
import { conversationsShown } from '../../server/limits.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import { withStores } from './open-conversation.ts';

type Options = {
  readonly json: boolean;
  readonly user: string | undefined;
  readonly project: string | undefined;
  readonly signal: AbortSignal;
};

/** The default user of dev authentication. */
const defaultUser = 'dev';

/** `timeloom timeline list`: lists the conversations of a user in every project, most recent activity first. */
export async function list(options: Options): Promise<number> {
  const { json, user = defaultUser, project: named, signal } = options;
  return withStores(named, async ({ store, places }) => {
    const limit = { limit: conversationsShown, signal };
    const found = await Promise.all(
      places.map(async (place) => {
        const rows = await store.list({ ...place, user }, limit);
        return rows.map((row) => ({ ...row, place: nameOf(place) }));
      }),
    );
    const rows = found.flat().toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
    for (const row of rows.slice(0, conversationsShown))
      process.stdout.write(`${lineOf(row, { json, several: places.length > 1 })}\n`);
    if (rows.length === 0 && !json) {
      const where = places.map(nameOf).join(', ');
      process.stderr.write(
        `${user} has no conversations in ${where}; use --user to choose another user\n`,
      );
    }
    return 0;
  });
}

type Row = Pick<ConversationRow, 'id' | 'title' | 'head' | 'openTurn' | 'lastAt'> & {
  readonly place: string;
};

function lineOf(
  { id, title, head, openTurn, lastAt, place }: Row,
  { json, several }: { json: boolean; several: boolean },
): string {
  const state = openTurn === undefined ? 'idle' : 'working';
  const facts = { id, title, state, blocks: head, last_activity_at: lastAt };
  if (json) return JSON.stringify(several ? { ...facts, project: place } : facts);
  const where = several ? `${place}  ` : '';
  const shown = `${lastAt}  ${state.padEnd(7)}  ${String(head).padStart(5)}  ${where}${id}  ${title ?? ''}`;
  return escapeControl(shown.trimEnd());
}
