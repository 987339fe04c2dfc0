import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Ends the sandboxes of workers that have died. bwrap dies with its worker once it has set itself up; a worker that
 * is killed before that, or a child that is, leaves it waiting for ever.
 */
export async function endOrphans(isOrphan: (stage: string) => Promise<boolean>): Promise<void> {
  // Where there is no /proc there is no bwrap either.
  for (const entry of await readdir('/proc').catch(() => [])) {
    const stage = await stageOf(Number(entry));
    if (stage !== undefined && (await isOrphan(stage))) end(Number(entry));
  }
}

/** The stage that a process was told of, if it is a bwrap of ours. */
async function stageOf(pid: number): Promise<string | undefined> {
  if (!Number.isInteger(pid)) return undefined;
  const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  const [command = '', ...args] = line.split('\0');
  if (basename(command) !== 'bwrap') return undefined;
  return args.flatMap((arg) => /\/(timeloom-exec-[0-9a-f]+)\//.exec(arg)?.[1] ?? [])[0];
}

/**
 * Ends what a bwrap left that was killed itself; `outer` was its pid, `inner` that of its sandbox, if it had told of one.
 * Until the sandbox has a session of its own it is in bwrap's process group.
 */
export async function endSandboxOf({
  outer,
  inner,
}: {
  outer: number | undefined;
  inner: Promise<number | undefined>;
}): Promise<void> {
  if (outer !== undefined) end(-outer);
  const pid = await inner;
  if (pid !== undefined && (await isForeign(pid))) end(pid);
}

/** Whoever has the pid of a dead sandbox by now shares ours: a sandbox never does. */
async function isForeign(pid: number): Promise<boolean> {
  const space = (process: number | 'self') => readlink(`/proc/${process}/ns/pid`).catch(() => '');
  const [other, own] = await Promise.all([space(pid), space('self')]);
  return other !== '' && other !== own;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile, or belongs to another user, whose next worker will end it.
  }
}
