import { Listeners } from '../../base/listeners.ts';
import { FrameTicks } from '../../engine/live/frame-ticks.ts';
import type { Announcement, Bus, Frame, Note, Owner } from '../../engine/ports/bus.ts';
import { framesIn, inOrder, ownerName, toNote } from '../../engine/ports/frames.ts';
import type { ConversationKey, Seq } from '../../timeline/ids.ts';

type Waits = { readonly signal: AbortSignal };

/** Frames kept per conversation. */
const framesMax = 20_000;

/** A bus for one process; its frames are in memory only. */
export function openMemoryBus(): Bus & AsyncDisposable {
  return new MemoryBus();
}

class MemoryBus implements Bus, AsyncDisposable {
  readonly #wakes = new Listeners<'wake', ConversationKey>();
  readonly #steers = new Listeners<ConversationKey, Seq>();
  readonly #notes = new Listeners<ConversationKey, Note>();
  readonly #touches = new Listeners<string, void>();
  readonly #frames = new Map<ConversationKey, Frame[]>();
  readonly #ticks = new FrameTicks((batch) => {
    for (const [key, frames] of batch) this.#deliver(key, frames.map(toNote));
  });

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
    if (frames.length === notes.length) {
      this.#ticks.add(key, frames);
      return;
    }
    this.#deliver(key, [...this.#ticks.take(key).map(toNote), ...notes]);
  }

  #deliver(key: ConversationKey, notes: readonly Note[]): void {
    const buffer = this.#frames.get(key) ?? [];
    buffer.push(...framesIn(notes));
    buffer.splice(0, Math.max(0, buffer.length - framesMax));
    if (buffer.length > 0) this.#frames.set(key, buffer);
    for (const note of notes) this.#notes.notify(key, note);
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
    return inOrder((this.#frames.get(key) ?? []).filter(({ after }) => after >= from));
  }

  async forget(key: ConversationKey, { signal }: Waits): Promise<boolean> {
    signal.throwIfAborted();
    this.#ticks.flush();
    this.#frames.delete(key);
    return true;
  }

  async flush({ signal }: Waits): Promise<void> {
    signal.throwIfAborted();
    this.#ticks.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ticks.flush();
    this.#wakes.clear();
    this.#steers.clear();
    this.#notes.clear();
    this.#touches.clear();
    this.#frames.clear();
  }
}
