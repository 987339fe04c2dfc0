import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** The bwraps that this process has started. */
export async function bwraps(): Promise<readonly number[]> {
  const own = await childrenOf(process.pid);
  const named = await Promise.all(own.map(async (pid) => ({ pid, name: await nameOf(pid) })));
  return named.filter(({ name }) => name === 'bwrap').map(({ pid }) => pid);
}

export async function childrenOf(pid: number): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = tasks.map((task) =>
    readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => ''),
  );
  return (await Promise.all(lists)).join(' ').split(/\s+/).filter(Boolean).map(Number);
}

/** False: it was gone already. */
export function endNow(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Whether a process ends within half a minute; one that nobody has waited for yet has ended. */
export async function ends(pid: number): Promise<boolean> {
  for (let waits = 0; waits < 3_000; waits += 1) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
    if (stat === '' || / Z /.test(stat.slice(stat.lastIndexOf(')')))) return true;
    await setTimeout(10);
  }
  return false;
}

async function nameOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim();
}
