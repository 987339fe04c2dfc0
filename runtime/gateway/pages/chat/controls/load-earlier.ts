/// <reference lib="dom" />
import { byId } from '../dom/elements.ts';

const label = 'Load earlier messages';

/** The button above a conversation that loads earlier messages. */
export class EarlierLoader {
  readonly #button = byId('earlier', HTMLButtonElement);
  readonly #status = byId('loaded', HTMLElement);
  readonly #load: () => Promise<boolean>;
  #loading: Promise<boolean> | undefined;

  /** `load` resolves with true if it added messages to the open conversation. */
  constructor(load: () => Promise<boolean>) {
    this.#load = load;
    this.#button.addEventListener('click', () => void this.load());
  }

  show(hasEarlier: boolean): void {
    const isLeft = !hasEarlier && document.activeElement === this.#button;
    this.#button.hidden = !hasEarlier;
    if (isLeft) byId('scroll', HTMLElement).focus({ preventScroll: true });
  }

  /** Another conversation is open. */
  reset(): void {
    this.#loading = undefined;
    this.#showStatus(label, '');
  }

  /** The button stays enabled while loading, because a disabled button would lose the focus. */
  async load(): Promise<void> {
    if (this.#loading) return;
    const text = 'Loading earlier messages…';
    this.#showStatus(text, text);
    const loading = this.#load();
    this.#loading = loading;
    const isLoaded = await loading;
    if (this.#loading !== loading) return;
    this.#loading = undefined;
    this.#showStatus(label, isLoaded ? 'Earlier messages are loaded.' : '');
  }

  #showStatus(text: string, status: string): void {
    this.#button.textContent = text;
    this.#button.setAttribute('aria-busy', String(text !== label));
    this.#status.textContent = status;
  }
}

/** Runs a change that adds turns before the first one, and keeps the scroll position. */
export function keepScrollPosition(scroll: HTMLElement, change: () => void): void {
  const first = byId('story', HTMLElement).firstElementChild;
  const topOf = () => first?.getBoundingClientRect().top ?? 0;
  const before = topOf();
  change();
  scroll.scrollTop += topOf() - before;
}
