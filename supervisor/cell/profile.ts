import type { ExecLimits } from '../../runtime/tools/ports/sandbox.ts';
import { inodesMax } from './limits.ts';

/** Limits of the platform for every program, whatever a request asks for. */
export type Profile = {
  /** Number of processors; may be a fraction. */
  readonly cpus: number;
  /** Files and directories in each place that a program can write to. */
  readonly inodes: number;
  /** Upper bounds for the limits of a request. */
  readonly ceilings: ExecLimits;
};

export const defaultProfile: Profile = {
  cpus: 1,
  inodes: inodesMax,
  ceilings: {
    timeoutMs: 3_600_000,
    memoryMb: 16_384,
    fileMb: 8_192,
    workspaceMb: 8_192,
    processes: 1_024,
  },
};

export function clampLimits(asked: ExecLimits, { ceilings }: Profile): ExecLimits {
  const workspaceMb = Math.min(asked.workspaceMb, ceilings.workspaceMb);
  return {
    timeoutMs: Math.min(asked.timeoutMs, ceilings.timeoutMs),
    memoryMb: Math.min(asked.memoryMb, ceilings.memoryMb),
    // Otherwise a sparse file could be larger than the place that holds it.
    fileMb: Math.min(asked.fileMb, ceilings.fileMb, workspaceMb),
    workspaceMb,
    processes: Math.min(asked.processes, ceilings.processes),
  };
}
