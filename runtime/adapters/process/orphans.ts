import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Ends the sandboxes of dead workers. bwrap dies with its worker once it has set itself up. If the worker or a child
 * is killed before that, bwrap waits forever.
 */
export async function endOrphans(isOrphan: (stage: string) => Promise<boolean>): Promise<void> {
  // Without /proc there can be no bwrap process.
  for (const entry of await readdir('/proc').catch(() => [])) {
    const stage = await stageOf(Number(entry));
    if (stage !== undefined && (await isOrphan(stage))) end(Number(entry));
  }
}

/** The staging directory in a process's arguments, if it is one of our bwrap processes. */
async function stageOf(pid: number): Promise<string | undefined> {
  if (!Number.isInteger(pid)) return undefined;
  const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  const [command = '', ...args] = line.split('\0');
  if (basename(command) !== 'bwrap') return undefined;
  return args.flatMap((arg) => /\/(timeloom-exec-[0-9a-f]+)\//.exec(arg)?.[1] ?? [])[0];
}

/**
 * Ends the sandbox of a bwrap that was killed. `outer` was its pid, `inner` is the pid of its sandbox, if it reported one.
 * Until the sandbox has its own session, it is in bwrap's process group.
 */
export async function endSandboxOf({
  outer,
  inner: pid,
}: {
  outer: number | undefined;
  inner: number | undefined;
}): Promise<void> {
  if (outer !== undefined) end(-outer);
  if (pid !== undefined && (await isForeign(pid))) end(pid);
}

/** A process that reuses the pid of a dead sandbox has our pid namespace; a sandbox never has. */
async function isForeign(pid: number): Promise<boolean> {
  const space = (process: number | 'self') => readlink(`/proc/${process}/ns/pid`).catch(() => '');
  const [other, own] = await Promise.all([space(pid), space('self')]);
  return other !== '' && other !== own;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended, or belongs to another user, whose next worker will end it.
  }
}
