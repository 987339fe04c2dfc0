import type { ExecLimits } from '../sandbox.ts';
import type { ProgramRights } from '../tool.ts';
import {
  programFileDefaultMb,
  programMemoryDefaultMb,
  programProcesses,
  programTimeoutDefaultMs,
  programWorkspaceMb,
} from './limits.ts';

/** The agent's limits are ceilings; a program may ask for less time. */
export function toExecLimits(
  rights: Omit<ProgramRights, 'tools'> = {},
  { seconds }: { seconds?: number | undefined } = {},
): ExecLimits {
  const ceilingMs = rights.timeoutMs ?? programTimeoutDefaultMs;
  const askedMs = seconds === undefined ? ceilingMs : Math.ceil(seconds * 1000);
  return {
    timeoutMs: Math.min(ceilingMs, askedMs),
    memoryMb: rights.memoryMb ?? programMemoryDefaultMb,
    fileMb: rights.fileMb ?? programFileDefaultMb,
    workspaceMb: programWorkspaceMb,
    processes: programProcesses,
  };
}
