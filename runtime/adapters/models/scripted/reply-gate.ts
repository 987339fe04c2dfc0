import { addAbortListener } from 'node:events';

/** A point where a reply pauses until it is released, or its generation is aborted. */
export class ReplyGate {
  readonly #reached = new Latch();
  readonly #released = new Latch();

  get reached(): Promise<void> {
    return this.#reached.opened;
  }

  /** Can be called before or after the reply gets here; it stays released. */
  release(): void {
    this.#released.open();
  }

  /** Rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    this.#reached.open();
    const aborted = new Latch();
    using _tie = addAbortListener(signal, () => aborted.open());
    await Promise.race([this.#released.opened, aborted.opened]);
    signal.throwIfAborted();
  }
}

class Latch {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
