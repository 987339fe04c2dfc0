import type { Step } from '../../plan/plan.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Written only if the log is unchanged since the plan; otherwise the next plan decides. */
export async function appendPruning(
  session: WorkerSession,
  { drafts }: Extract<Step, { do: 'prune' }>,
): Promise<void> {
  await session.conversation.append(drafts, { expectHead: session.conversation.view.head });
}
