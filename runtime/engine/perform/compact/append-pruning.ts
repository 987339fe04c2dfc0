import type { Step } from '../../plan/plan.ts';
import type { Visit } from '../../session/session.ts';

/** Written only onto the log it was made from: what arrived since makes another plan. */
export async function prune(
  visit: Visit,
  { drafts }: Extract<Step, { do: 'prune' }>,
): Promise<void> {
  await visit.owned.append(drafts, { expectHead: visit.owned.view.head });
}
