import type { Language, ProgramKind } from '../../ports/sandbox.ts';
import type { ProgramRights, Tool } from '../../ports/tool.ts';
import { type PlatformLimits, toExecLimits, toPlace } from './program-limits.ts';

type ProgramAgent = {
  readonly tools: readonly Tool[];
  readonly exec: Omit<ProgramRights, 'tools'> & { readonly languages: readonly Language[] };
};

/** The kinds of programs that some agents may write; executors of these kinds are worth keeping ready. */
export function programKinds(
  agents: readonly ProgramAgent[],
  platform?: PlatformLimits,
): readonly ProgramKind[] {
  return agents.flatMap(({ tools, exec }) =>
    exec.languages
      .filter((language) =>
        tools.some(({ spec }) => spec.kind === 'exec' && spec.language === language),
      )
      .map((language) => ({
        language,
        limits: toExecLimits(exec, { platform }),
        ...toPlace(exec),
      })),
  );
}
