import type { ExecLimits } from '../../ports/sandbox.ts';
import type { SandboxPlace } from '../../ports/sandbox-place.ts';
import type { ProgramRights } from '../../ports/tool.ts';
import {
  programFileDefaultMb,
  programMemoryDefaultMb,
  programProcesses,
  programTimeoutDefaultMs,
  programTimeoutMaxMs,
  programWorkspaceMb,
} from '../limits.ts';

/** Limits that an operator sets for every program. */
export type PlatformLimits = Partial<Pick<ExecLimits, 'workspaceMb' | 'processes'>>;

type Options = {
  /** The time that the program requests. */
  readonly seconds?: number | undefined;
  /** The time that its turn has left. */
  readonly leftMs?: number | undefined;
  readonly platform?: PlatformLimits | undefined;
};

/** The limits of the agent are ceilings; a program may request less time. */
export function toExecLimits(
  rights: Omit<ProgramRights, 'tools'> = {},
  { seconds, leftMs = programTimeoutMaxMs, platform = {} }: Options = {},
): ExecLimits {
  const ceilingMs = rights.timeoutMs ?? programTimeoutDefaultMs;
  const askedMs = seconds === undefined ? ceilingMs : Math.ceil(seconds * 1000);
  return {
    timeoutMs: Math.min(ceilingMs, askedMs, programTimeoutMaxMs, leftMs),
    memoryMb: rights.memoryMb ?? programMemoryDefaultMb,
    fileMb: rights.fileMb ?? programFileDefaultMb,
    workspaceMb: platform.workspaceMb ?? programWorkspaceMb,
    processes: Math.min(
      rights.pids ?? Number.MAX_SAFE_INTEGER,
      platform.processes ?? programProcesses,
    ),
  };
}

/** Where programs with these rights run. Empty: in the installation's own sandbox. */
export function toPlace({ mode, image, cpus }: SandboxPlace = {}): {
  readonly place?: SandboxPlace;
} {
  const place = {
    ...(mode === undefined ? {} : { mode }),
    ...(image === undefined ? {} : { image }),
    ...(cpus === undefined ? {} : { cpus }),
  };
  return Object.keys(place).length === 0 ? {} : { place };
}
