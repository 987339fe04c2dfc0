import { setTimeout } from 'node:timers/promises';
import type { ProgramLimits } from '../../../engine/ports/agent-sandbox.ts';
import { type LimitGroup, openLimitGroup } from '../limit-group.ts';
import { groupRetryMs, groupTriesMax } from './limits.ts';

const mebibyte = 1024 * 1024;

/** Undefined: this machine has no kernel limits to give. */
export function openAgentGroup(
  name: string,
  { memoryMb, cpus }: Pick<ProgramLimits, 'memoryMb' | 'cpus'>,
): Promise<LimitGroup | undefined> {
  return openLimitGroup(name, { bytes: memoryMb * mebibyte, cpus });
}

/** The kernel may need a moment until it has forgotten the last process of a sandbox. */
export async function removeGroup(group: LimitGroup): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await group[Symbol.asyncDispose]();
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY';
      if (!isBusy || tries >= groupTriesMax) throw error;
      await setTimeout(groupRetryMs);
    }
  }
}

/** False: the process has ended already. */
export async function joins(group: LimitGroup | undefined, pid: number): Promise<boolean> {
  try {
    await group?.join(pid);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
