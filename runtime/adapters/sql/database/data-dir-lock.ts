import { randomUUID } from 'node:crypto';
import { link, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hrtime } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import { makePrivateFolder } from '../../../base/folders.ts';
import { lockBeatMs, lockSilenceMsMax } from './limits.ts';
import {
  codeOf,
  describeProcess,
  isRunning,
  isSameHolder,
  type LockHolder,
  readLock,
  touchedMs,
} from './lock-holder.ts';

/**
 * 1. Only the holder writes below the directory.
 * 2. A holder that was paused (SIGSTOP, a frozen container) verifies its lock before it continues: another process may
 *    have taken the directory over.
 * 3. Takeover and verification exclude each other: both hold `lock.takeover`.
 */
export type DataDirLock = AsyncDisposable & {
  /** Until this time of `lockClockMs` no other process can have taken the directory over. */
  readonly untilMs: number;
  /** Calls back once when another process has taken the directory over. */
  onLost(callback: (fault: Fault) => void): void;
  /** Extends the lock. Fault `DATA_DIR_HELD` if another process has taken the directory over. */
  renew(): Promise<void>;
};

type Options = { readonly silenceMs?: number; readonly beatMs?: number };

const takeoversMax = 50;
const takeoverPauseMs = 20;
/** A takeover is quick; an older takeover lock was left by a crash. */
const takeoverAgeMsMax = 5_000;

/** Monotonic milliseconds, the same in every thread of the process. */
export function lockClockMs(): number {
  return Number(hrtime.bigint() / 1_000_000n);
}

/**
 * Creates the directory with access for its owner only, and locks it for this process until disposed. Takes over the
 * lock of a dead holder. A holder in another container counts as dead if it does not touch its lock for `silenceMs`;
 * this call waits that long. Faults `DATA_DIR_HELD`, `DATA_DIR_UNWRITABLE`, `DATA_DIR_EXPOSED`.
 */
export async function lockDataDir(
  dir: string,
  { silenceMs = lockSilenceMsMax, beatMs = lockBeatMs }: Options = {},
): Promise<DataDirLock> {
  const path = join(dir, 'lock');
  const holder = await describeProcess(process.pid);
  await makePrivateFolder(dir);
  const fromMs = lockClockMs();
  await withDraft({ path, holder }, (draft) => acquire(path, draft, silenceMs));
  return new DirectoryLock({ path, holder, silenceMs, beatMs, fromMs });
}

type LockState = {
  readonly path: string;
  readonly holder: LockHolder;
  readonly silenceMs: number;
  readonly beatMs: number;
  /** When it was taken. */
  readonly fromMs: number;
};

class DirectoryLock implements DataDirLock {
  readonly #held: LockState;
  #lost: Fault | undefined;
  #callback: (fault: Fault) => void = () => undefined;
  readonly #beat: NodeJS.Timeout;
  #confirmedMs: number;
  #renewal: Promise<void> | undefined;

  constructor(held: LockState) {
    this.#held = held;
    this.#confirmedMs = held.fromMs;
    // A failed heartbeat (the disk does not answer) only makes the lock look older.
    const beat = () => void this.renew().catch(() => undefined);
    this.#beat = setInterval(beat, held.beatMs).unref();
  }

  /** Half of the silence that others wait for: work that started before it has the other half to finish. */
  get untilMs(): number {
    return this.#confirmedMs + this.#held.silenceMs / 2;
  }

  onLost(callback: (fault: Fault) => void): void {
    this.#callback = callback;
  }

  async renew(): Promise<void> {
    if (this.#lost) throw this.#lost;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat);
    await this.#renewal?.catch(() => undefined);
    await removeOwn(this.#held.path, this.#held.holder);
  }

  async #renew(): Promise<void> {
    const nowMs = lockClockMs();
    const { path, holder } = this.#held;
    const isOurs =
      nowMs < this.untilMs
        ? await touch(path, holder)
        : await withDraft({ path, holder }, (draft) => verify(path, draft, holder));
    if (isOurs) {
      this.#confirmedMs = nowMs;
      return;
    }
    clearInterval(this.#beat);
    this.#lost = heldBy(await readLock(path), path);
    this.#callback(this.#lost);
    throw this.#lost;
  }
}

/** Renews the lock if it is ours; returns whether it is. */
async function touch(path: string, holder: LockHolder): Promise<boolean> {
  if (!isSameHolder(await readLock(path), holder)) return false;
  await utimes(path, new Date(), new Date());
  return true;
}

/** After a pause: like `touch`, but excludes a concurrent takeover. */
async function verify(path: string, draft: string, holder: LockHolder): Promise<boolean> {
  for (let attempt = 0; attempt < takeoversMax; attempt += 1) {
    const seen = await withTakeoverLock(path, draft, () => touch(path, holder));
    if (seen !== undefined) return seen;
  }
  return false;
}

/** Takes the lock if no living process holds it. Creating a hard link is atomic, so no process reads a partial lock. */
async function acquire(path: string, draft: string, silenceMs: number): Promise<void> {
  for (let attempt = 0; attempt < takeoversMax; attempt += 1) {
    if (await tryLink(draft, path)) return;
    const found = await readLock(path);
    if (found === undefined) continue;
    const lastTouchMs = await lastTouchIfDead(found, path, silenceMs);
    if (lastTouchMs === undefined) throw heldBy(found, path);
    await withTakeoverLock(path, draft, async () => {
      if ((await touchedMs(path)) === lastTouchMs) await removeOwn(path, found);
    });
  }
  throw new Fault('DATA_DIR_HELD', { because: `the holder of ${path} keeps changing` });
}

/** When a dead holder last touched its lock; undefined if it is alive. Waits if it cannot tell from here. */
async function lastTouchIfDead(
  holder: LockHolder,
  path: string,
  silenceMs: number,
): Promise<number | undefined> {
  const lastMs = await touchedMs(path);
  const running = await isRunning(holder);
  if (running !== undefined) return running ? undefined : lastMs;
  while (Date.now() - lastMs < silenceMs) {
    await setTimeout(Math.min(lockBeatMs, silenceMs) / 4);
    if ((await touchedMs(path)) !== lastMs) return undefined;
  }
  return lastMs;
}

/** Runs `work` while no other process takes over or verifies; undefined if another one does. */
async function withTakeoverLock<T>(
  path: string,
  draft: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const takeover = `${path}.takeover`;
  if (!(await tryLink(draft, takeover))) {
    if (Date.now() - (await touchedMs(takeover)) > takeoverAgeMsMax) {
      await rm(takeover, { force: true });
    }
    await setTimeout(takeoverPauseMs);
    return undefined;
  }
  try {
    return await work();
  } finally {
    await rm(takeover, { force: true });
  }
}

/** Writes a file with our description, to be linked to the lock names. */
async function withDraft<T>(
  { path, holder }: { path: string; holder: LockHolder },
  use: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(holder), { flag: 'wx' });
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: path }, { cause });
  }
  try {
    return await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new Fault('DATA_DIR_UNWRITABLE', { because: to }, { cause: error });
  }
}

async function removeOwn(path: string, holder: LockHolder): Promise<void> {
  if (isSameHolder(await readLock(path), holder)) await rm(path, { force: true });
}

function heldBy(holder: LockHolder | undefined, path: string): Fault {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new Fault('DATA_DIR_HELD', { because: `${who} holds ${path}` });
}
