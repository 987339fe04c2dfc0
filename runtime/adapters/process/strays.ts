import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Ends the sandboxes of workers that have died. bwrap dies with its worker once it has set itself up; a worker that
 * is killed before that, or a child that is, leaves it waiting for ever.
 */
export async function endStrays(isOrphan: (stage: string) => Promise<boolean>): Promise<void> {
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

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile, or belongs to another user, whose next worker will end it.
  }
}
