import type { Language } from '../sandbox.ts';
import type { CallContext, ProgramRights } from '../tool.ts';
import type { ExecParts } from './execute.ts';
import { pulledFolders } from './inputs.ts';
import { toExecLimits } from './program-limits.ts';

/** An executor may start for a call that is still being written. Disposed when the call will not come. */
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
    return sandbox?.prepare?.({ language, limits, folders: pulledFolders(seen) });
  };
}
