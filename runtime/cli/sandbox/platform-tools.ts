import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Platform } from '../../sdk/compile/agents/toolbox.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { PlatformLimits } from '../../tools/exec/program/program-limits.ts';
import { createExecTools } from '../../tools/exec/run/exec-tools.ts';
import type { ExecParts } from '../../tools/exec/run/execute.ts';
import { createPrepare } from '../../tools/exec/run/prepare-program.ts';
import { createRunScript } from '../../tools/exec/scripts/run-script.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import { controlTools } from '../../tools/react/control-tools.ts';
import { createWebTools, type Web } from '../../tools/web/web-tools.ts';

type Parts = {
  readonly sandbox: Sandbox | undefined;
  /** Why no sandbox is available, and what to install. */
  readonly refusal: string | undefined;
  /** Libraries that Python programs can import. */
  readonly libraries?: readonly string[] | undefined;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly limits?: PlatformLimits;
  readonly web: Web;
};

const switchedOff =
  'Programs are switched off in this installation (TIMELOOM_EXEC_MODE=off). Answer without running one.';

/** The runtime's own tools. Without a sandbox, a call of an exec tool returns an error that says what is missing. */
export function platformTools({
  sandbox,
  refusal,
  limits,
  libraries,
  web,
  ...parts
}: Parts): Platform {
  const programs: ExecParts = {
    ...parts,
    ...(sandbox ? { sandbox } : {}),
    platform: limits,
    ...(libraries ? { libraries } : {}),
    unavailable: refusal ?? switchedOff,
  };
  return {
    tools: [...controlTools, ...createExecTools(programs), ...createWebTools(web)],
    absent: [],
    runScript: createRunScript(programs),
    prepareScript: createPrepare(programs),
  };
}
