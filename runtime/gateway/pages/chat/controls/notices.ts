/// <reference lib="dom" />
import { byId, h } from '../dom/elements.ts';

type Action = { readonly label: string; act(): void };

/** Notices about problems. Each stays until it is dismissed or resolved. */
export class Notices {
  readonly #list = byId('notices', HTMLElement);
  readonly #shown = new Map<string, HTMLElement>();

  /** Replaces an earlier notice of the same kind. */
  show(kind: string, text: string, action?: Action): void {
    const before = this.#shown.get(kind);
    if (before?.dataset['text'] === text) return;
    this.clear(kind);
    const act = () => {
      this.clear(kind);
      action?.act();
    };
    const notice = h(
      'div',
      { class: 'notice', role: 'alert', 'data-text': text },
      h('span', {}, text),
    );
    if (action) notice.append(h('button', { type: 'button', onclick: act }, action.label));
    const dismiss = { type: 'button', class: 'dismiss', 'aria-label': 'Dismiss' };
    notice.append(h('button', { ...dismiss, onclick: () => this.clear(kind) }, '×'));
    this.#shown.set(kind, notice);
    this.#list.append(notice);
  }

  clear(kind: string): void {
    this.#shown.get(kind)?.remove();
    this.#shown.delete(kind);
  }
}
