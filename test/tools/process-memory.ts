import { readFile } from 'node:fs/promises';
import { childrenOf } from '../attack/kill/processes.ts';

/** MiB of a process and everything that it has started. */
export type ProcessMemory = {
  /** Resident memory, pages that are shared with others in proportion. */
  readonly idle: number;
  /** The most that the process itself has had resident. */
  readonly peak: number;
  /** The command lines of what it has started. */
  readonly children: readonly string[];
};

export async function processMemory(pid: number): Promise<ProcessMemory> {
  const tree = await treeOf(pid);
  const shares = await Promise.all(tree.map((one) => field(one, 'smaps_rollup', 'Pss')));
  const commands = tree
    .slice(1)
    .map((one) => readFile(`/proc/${one}/cmdline`, 'utf8').catch(() => ''));
  return {
    idle: shares.reduce((sum, share) => sum + share, 0),
    peak: await field(pid, 'status', 'VmHWM'),
    children: (await Promise.all(commands)).map((text) => text.replaceAll('\0', ' ').trim()),
  };
}

async function treeOf(pid: number): Promise<readonly number[]> {
  const below = await Promise.all((await childrenOf(pid)).map(treeOf));
  return [pid, ...below.flat()];
}

/** 0: the process has ended. */
async function field(pid: number, file: string, name: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) / 1024;
}
