import type { WorkerSession } from '../session/session.ts';
import { recallFacts } from './recall/recall-facts.ts';
import { selectTools } from './select/select-tools.ts';

/** What a turn needs before its first round. */
export function prepareTurn(
  session: WorkerSession,
  step: 'recall_facts' | 'select_tools',
): Promise<void> {
  return step === 'recall_facts' ? recallFacts(session) : selectTools(session);
}
