import type { ExecLimits } from '../runtime/tools/sandbox.ts';
import { inodesMax } from './cell-limits.ts';

/** What a platform gives to any program, whatever is asked for it. */
export type Profile = {
  /** Of the processors, in whole or in part. */
  readonly cpus: number;
  /** Files and directories in each place a program can write to. */
  readonly inodes: number;
  /** The most of each that a request may have. */
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
    // A sparse file would else be larger than the place it stands in.
    fileMb: Math.min(asked.fileMb, ceilings.fileMb, workspaceMb),
    workspaceMb,
    processes: Math.min(asked.processes, ceilings.processes),
  };
}
