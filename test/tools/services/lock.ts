import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isRunning, runFolder } from '../run-folder.ts';

const pollMs = 100;

/** Whether the lock is ours now; that of a worker that has died is taken over. */
export async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(await readFile(lock, 'utf8').catch(() => '0'));
    if (holder === 0 || isRunning(holder)) return false;
    await writeFile(lock, `${process.pid}`);
    return true;
  }
}

/** For one test file of the run at a time; the others wait. */
export async function holdLock(name: string): Promise<AsyncDisposable> {
  const lock = join(runFolder(), `${name}.lock`);
  while (!(await takeLock(lock))) await setTimeout(pollMs);
  return { [Symbol.asyncDispose]: () => rm(lock) };
}
