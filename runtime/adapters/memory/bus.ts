import { Listeners } from '../../base/listeners.ts';
import type { Bus, Frame, Note } from '../../engine/ports/bus.ts';
import { inOrder } from '../../engine/ports/frames.ts';

type Waits = { readonly signal: AbortSignal };

/** Frames kept per conversation. */
const framesMax = 20_000;

/** A bus for one process; its frames are in memory only. */
export function openMemoryBus(): Bus & AsyncDisposable {
  return new MemoryBus();
}

class MemoryBus implements Bus, AsyncDisposable {
  readonly #wakes = new Listeners<'wake', number>();
  readonly #steers = new Listeners<number, number>();
  readonly #notes = new Listeners<number, Note>();
  readonly #frames = new Map<number, Frame[]>();

  wake(conversation: number): void {
    this.#wakes.notify('wake', conversation);
  }

  onWake(listener: (conversation: number) => void): Disposable {
    return this.#wakes.add('wake', listener);
  }

  steer(conversation: number, seq: number): void {
    this.#steers.notify(conversation, seq);
  }

  onSteer(conversation: number, listener: (seq: number) => void): Disposable {
    return this.#steers.add(conversation, listener);
  }

  publish(conversation: number, notes: readonly Note[]): void {
    const buffer = this.#frames.get(conversation) ?? [];
    for (const note of notes) if (note.kind === 'frame') buffer.push(note.frame);
    buffer.splice(0, Math.max(0, buffer.length - framesMax));
    if (buffer.length > 0) this.#frames.set(conversation, buffer);
    for (const note of notes) this.#notes.notify(conversation, note);
  }

  subscribe(conversation: number, listener: (note: Note) => void): Disposable {
    return this.#notes.add(conversation, listener);
  }

  async frames(conversation: number, from: number, { signal }: Waits): Promise<readonly Frame[]> {
    signal.throwIfAborted();
    return inOrder((this.#frames.get(conversation) ?? []).filter(({ after }) => after >= from));
  }

  async forget(conversation: number, { signal }: Waits): Promise<boolean> {
    signal.throwIfAborted();
    this.#frames.delete(conversation);
    return true;
  }

  async flush({ signal }: Waits): Promise<void> {
    signal.throwIfAborted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wakes.clear();
    this.#steers.clear();
    this.#notes.clear();
    this.#frames.clear();
  }
}
