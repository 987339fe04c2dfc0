import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { makeFolder } from '../../base/folders.ts';
import { Listeners } from '../../base/listeners.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { FrameTicks } from '../../engine/live/frame-ticks.ts';
import type { Announcement, Bus, Frame, Note, Owner } from '../../engine/ports/bus.ts';
import { framesIn, inOrder, ownerName, toNote } from '../../engine/ports/frames.ts';
import type { ConversationKey, Seq } from '../../timeline/ids.ts';
import { FrameFile } from './frame-file.ts';
import { frameFileAgeMsMax, openFilesMax } from './limits.ts';

type Waits = { readonly signal: AbortSignal };

/**
 * A bus for one process. Signals are delivered in memory; frames go into one file per conversation and survive the
 * process. Fault `DATA_DIR_UNWRITABLE`.
 */
export async function openLocalBus({
  dir,
  log = silentLog,
}: {
  dir: string;
  log?: Log;
}): Promise<Bus & AsyncDisposable> {
  try {
    await makeFolder(dir);
    await removeOld(dir);
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: dir }, { cause });
  }
  return new LocalBus(dir, log);
}

class LocalBus implements Bus, AsyncDisposable {
  readonly #dir: string;
  readonly #log: Log;
  readonly #wakes = new Listeners<'wake', ConversationKey>();
  readonly #steers = new Listeners<ConversationKey, Seq>();
  readonly #notes = new Listeners<ConversationKey, Note>();
  readonly #touches = new Listeners<string, void>();
  readonly #ticks = new FrameTicks((batch) => {
    for (const [key, frames] of batch) this.#deliver(key, frames.map(toNote));
  });
  /** Open files. */
  readonly #files = new Map<ConversationKey, FrameFile>();

  constructor(dir: string, log: Log) {
    this.#dir = dir;
    this.#log = log;
  }

  wake(key: ConversationKey): void {
    this.#wakes.notify('wake', key);
  }

  onWake(listener: (key: ConversationKey) => void): Disposable {
    return this.#wakes.add('wake', listener);
  }

  steer(key: ConversationKey, seq: Seq): void {
    this.#steers.notify(key, seq);
  }

  onSteer(key: ConversationKey, listener: (seq: Seq) => void): Disposable {
    return this.#steers.add(key, listener);
  }

  announce(key: ConversationKey, { head, wake = false, steer = false }: Announcement): void {
    this.publish(key, [{ kind: 'head', head }]);
    if (wake) this.wake(key);
    if (steer) this.steer(key, head);
  }

  publish(key: ConversationKey, notes: readonly Note[]): void {
    const frames = framesIn(notes);
    if (frames.length === notes.length) this.#ticks.add(key, frames);
    else this.#deliver(key, [...this.#ticks.take(key).map(toNote), ...notes]);
  }

  subscribe(key: ConversationKey, listener: (note: Note) => void): Disposable {
    return this.#notes.add(key, listener);
  }

  touch(owner: Owner): void {
    this.#touches.notify(ownerName(owner), undefined);
  }

  onTouch(owner: Owner, listener: () => void): Disposable {
    return this.#touches.add(ownerName(owner), listener);
  }

  async frames(key: ConversationKey, from: Seq, { signal }: Waits): Promise<readonly Frame[]> {
    signal.throwIfAborted();
    this.#ticks.flush();
    const frames = await this.#file(key).read();
    return inOrder(frames.filter(({ after }) => after >= from));
  }

  async forget(key: ConversationKey, { signal }: Waits): Promise<boolean> {
    signal.throwIfAborted();
    this.#ticks.flush();
    const file = this.#file(key);
    this.#files.delete(key);
    await file.remove();
    return true;
  }

  async flush({ signal }: Waits): Promise<void> {
    signal.throwIfAborted();
    this.#ticks.flush();
    await Promise.all([...this.#files.values()].map((file) => file.written()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ticks.flush();
    this.#wakes.clear();
    this.#steers.clear();
    this.#notes.clear();
    this.#touches.clear();
    await Promise.all([...this.#files.values()].map((file) => file.close()));
  }

  #deliver(key: ConversationKey, notes: readonly Note[]): void {
    const frames = framesIn(notes);
    if (frames.length > 0) this.#keep(key, frames);
    for (const note of notes) this.#notes.notify(key, note);
  }

  #keep(key: ConversationKey, frames: readonly Frame[]): void {
    const file = this.#file(key);
    // The order is that of the last write.
    this.#files.delete(key);
    this.#files.set(key, file);
    file.add(frames);
    void this.#closeOldest();
  }

  async #closeOldest(): Promise<void> {
    for (const [key, file] of this.#files) {
      if (this.#files.size <= openFilesMax) return;
      if (!file.idle) continue;
      this.#files.delete(key);
      await file.close();
    }
  }

  #file(key: ConversationKey): FrameFile {
    const path = join(this.#dir, `${key}.jsonl`);
    return this.#files.get(key) ?? new FrameFile(path, this.#log);
  }
}

async function removeOld(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > frameFileAgeMsMax) await rm(path, { force: true });
  }
}
