/// <reference lib="dom" />
import { flushSync } from 'react-dom';

type Source<State> = {
  readonly state: State;
  onChange(listener: () => void): () => void;
};

/**
 * A store of React over a source that may change many times per frame. The page draws at most once per frame, and rests
 * after a drawing for three times as long as it took, so drawing never takes more than a quarter of the time.
 */
export class FrameStore<State> {
  readonly #source: Source<State>;
  readonly #listeners = new Set<() => void>();
  #off: (() => void) | undefined;
  #state: State;
  #isScheduled = false;
  #restMs = 0;
  /** Runs around each drawing. */
  around: (draw: () => void) => void = (draw) => draw();

  constructor(source: Source<State>) {
    this.#source = source;
    this.#state = source.state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#off ??= this.#source.onChange(() => this.#schedule());
    this.#listeners.add(listener);
    this.#schedule();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#off?.();
      this.#off = undefined;
    };
  };

  readonly snapshot = (): State => this.#state;

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => requestAnimationFrame(() => this.#draw()), this.#restMs);
  }

  #draw(): void {
    this.#isScheduled = false;
    const { state } = this.#source;
    if (state === this.#state) return;
    const begun = performance.now();
    this.#state = state;
    this.around(() => flushSync(() => this.#notify()));
    this.#restMs = 3 * (performance.now() - begun);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
