import type { Step } from '../../plan/plan.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Written only onto the log it was made from: what arrived since makes another plan. */
export async function appendPruning(
  session: WorkerSession,
  { drafts }: Extract<Step, { do: 'prune' }>,
): Promise<void> {
  await session.conversation.append(drafts, { expectHead: session.conversation.view.head });
}
