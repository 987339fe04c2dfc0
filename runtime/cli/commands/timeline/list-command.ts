import { conversationsShown } from '../../server/limits.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import { withStores } from './open-conversation.ts';

type Options = {
  readonly json: boolean;
  readonly user: string | undefined;
  readonly signal: AbortSignal;
};

/** The default user of dev authentication. */
const defaultUser = 'dev';

/** `timeloom timeline list`: lists the conversations of a user, most recent activity first. */
export async function list({ json, user = defaultUser, signal }: Options): Promise<number> {
  return withStores(async ({ store, tenant, project }) => {
    const sender = { tenant, project, user };
    const rows = await store.list(sender, { limit: conversationsShown, signal });
    for (const { id, title, head, openTurn, lastAt } of rows) {
      const state = openTurn === undefined ? 'idle' : 'working';
      const facts = { id, title, state, blocks: head, last_activity_at: lastAt };
      const shown = `${lastAt}  ${state.padEnd(7)}  ${String(head).padStart(5)}  ${id}  ${title ?? ''}`;
      process.stdout.write(`${json ? JSON.stringify(facts) : escapeControl(shown.trimEnd())}\n`);
    }
    if (rows.length === 0 && !json) {
      process.stderr.write(
        `${user} has no conversations in ${tenant}/${project}; use --user to choose another user\n`,
      );
    }
    return 0;
  });
}
