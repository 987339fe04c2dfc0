import type { ConversationKey } from '../../timeline/ids.ts';
import { frameCharsMax, framesPerTickMin, framesPerTickMs, tickMsMax } from '../limits.ts';
import type { DeltaFrame, Frame } from '../ports/bus.ts';

export type TickFrames = ReadonlyMap<ConversationKey, readonly Frame[]>;

/**
 * Collects the frames that are published at about the same time, so that a bus stores and sends them together, and makes
 * one frame of consecutive deltas of a stream. A few frames wait for the end of this turn of the event loop; the more
 * there are, the longer they wait, up to `tickMsMax`.
 *
 * Nobody may see frames before they are collected: a cursor is the number of a frame, and the frame of several deltas
 * has the number of the last one.
 */
export class FrameTicks implements Disposable {
  readonly #send: (frames: TickFrames) => void;
  #pending = new Map<ConversationKey, Frame[]>();
  #cancel: (() => void) | undefined;
  /** The period that is counted, the frames in it, and those in the one before. */
  #since = 0;
  #count = 0;
  #lastCount = 0;

  constructor(send: (frames: TickFrames) => void) {
    this.#send = send;
  }

  add(key: ConversationKey, frames: readonly Frame[]): void {
    const pending = this.#pending.get(key) ?? [];
    for (const frame of frames) append(pending, frame);
    this.#pending.set(key, pending);
    this.#note(frames.length);
    this.#cancel ??= schedule(() => this.flush(), this.#delayMs);
  }

  /** Takes the waiting frames of one conversation, for what must follow them at once. */
  take(key: ConversationKey): readonly Frame[] {
    const frames = this.#pending.get(key) ?? [];
    this.#pending.delete(key);
    return frames;
  }

  /** Sends what waits. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#pending.size === 0) return;
    const frames = this.#pending;
    this.#pending = new Map();
    this.#send(frames);
  }

  [Symbol.dispose](): void {
    this.flush();
  }

  get #delayMs(): number {
    const frames = Math.max(this.#lastCount, this.#count);
    return Math.min(tickMsMax, Math.max(0, (frames - framesPerTickMin) / framesPerTickMs));
  }

  #note(frames: number): void {
    const now = performance.now();
    if (now - this.#since > tickMsMax) {
      this.#lastCount = now - this.#since > 2 * tickMsMax ? 0 : this.#count;
      this.#count = 0;
      this.#since = now;
    }
    this.#count += frames;
  }
}

function schedule(run: () => void, delayMs: number): () => void {
  if (delayMs === 0) {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

function append(frames: Frame[], frame: Frame): void {
  const last = frames.at(-1);
  if (last?.kind === 'delta' && frame.kind === 'delta' && continues(last, frame)) {
    const { number, completed } = frame;
    frames[frames.length - 1] = { ...last, number, completed, text: last.text + frame.text };
  } else frames.push(frame);
}

/** The frame goes on where the last one stopped, at the same place. */
function continues(last: DeltaFrame, frame: DeltaFrame): boolean {
  return (
    last.stream === frame.stream &&
    last.offset + last.text.length === frame.offset &&
    last.fence === frame.fence &&
    last.after === frame.after &&
    last.round === frame.round &&
    last.marker === frame.marker &&
    last.artifact?.name === frame.artifact?.name &&
    !last.completed &&
    last.text.length + frame.text.length <= frameCharsMax
  );
}
