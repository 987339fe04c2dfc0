import type { Language } from '../../ports/sandbox.ts';
import type { CallContext, ProgramRights } from '../../ports/tool.ts';
import { pulledFolders } from '../program/program-inputs.ts';
import { toExecLimits, toPlace } from '../program/program-limits.ts';
import type { ExecParts } from './execute.ts';

/** Starts an executor for a call that the model is still writing. Disposed if the call is not made. */
export type PrepareProgram = (
  language: Language,
  rights: ProgramRights,
  seen: Pick<CallContext, 'view' | 'turn'>,
) => Disposable | undefined;

export function createPrepare({
  sandbox,
  platform,
}: Pick<ExecParts, 'sandbox' | 'platform'>): PrepareProgram {
  return (language, rights, seen) => {
    const limits = toExecLimits(rights, { platform });
    return sandbox?.prepare?.({
      language,
      limits,
      ...toPlace(rights),
      folders: pulledFolders(seen),
    });
  };
}
