import type { RunExternalStep } from '../../plan/plan-ask.ts';
import type { RecoverStep } from '../../plan/plan-external.ts';
import type { WorkerSession } from '../../session/session.ts';
import { recoverExternal } from './recover-external.ts';
import { runExternal } from './run-external.ts';

/** The steps of a turn on which an agent program works. */
export function performExternal(
  session: WorkerSession,
  step: RunExternalStep | RecoverStep,
): Promise<void> {
  return step.do === 'run_external' ? runExternal(session, step) : recoverExternal(session);
}
