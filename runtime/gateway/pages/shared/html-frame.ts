/// <reference lib="dom" />
import { h } from './markdown/elements.ts';

/**
 * Written before generated HTML: the document cannot load or submit anything, and a link that this page does not handle opens
 * in a new tab. The document type comes first, because the one in the text is too late to have an effect.
 */
const preamble = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
img-src data: blob:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'"><base target="_blank">`;

const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

/**
 * Shows generated HTML while it grows. Scripts in it do not run. It has the origin of this page only so that the page can write
 * into it piece by piece, handle its links, and measure its height.
 *
 * A browser gives a frame that is moved a new, empty document, which then gets the whole text again.
 */
export class HtmlFrame {
  readonly element: HTMLIFrameElement;
  readonly #fits: boolean;
  #text = '';
  #isDone = false;
  #written:
    | { readonly inside: Document; readonly text: string; readonly isClosed: boolean }
    | undefined;

  /** `fits`: its height follows its content. */
  constructor({ title, fits }: { title: string; fits: boolean }) {
    this.element = h('iframe', { sandbox, title });
    this.#fits = fits;
    this.element.addEventListener('load', () => this.#write());
  }

  paint(text: string, done: boolean): void {
    this.#text = text;
    this.#isDone = done;
    this.#write();
  }

  #write(): void {
    const inside = this.element.contentDocument;
    // A frame has no document until it is inserted into the page, which fires a load event.
    if (!inside) return;
    const before = this.#written?.inside === inside ? this.#written : undefined;
    const isSame = before?.text === this.#text;
    if (before?.isClosed && isSame) return;
    // Writing to a closed document would empty it first.
    const continues = before && !before.isClosed && this.#text.startsWith(before.text);
    if (!continues) begin(inside);
    inside.write(this.#text.slice(continues ? before.text.length : 0));
    if (this.#isDone) inside.close();
    this.#written = { inside, text: this.#text, isClosed: this.#isDone };
    if (this.#fits) resize(this.element, inside.documentElement);
  }
}

function begin(inside: Document): void {
  inside.open();
  inside.write(preamble);
  inside.addEventListener('click', follow);
}

/** Only the page opens links of generated HTML, in a new tab without an opener, and never to an address of this server. */
function follow(event: Event): void {
  const { target } = event;
  // Elements of a frame are not instances of this window's classes.
  const link = target && 'closest' in target ? (target as Element).closest('a, area') : null;
  if (!link) return;
  event.preventDefault();
  const address = link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? '';
  if (address.startsWith('#')) {
    link.ownerDocument.getElementById(address.slice(1))?.scrollIntoView();
  } else if (isExternal(address)) window.open(address, '_blank', 'noopener,noreferrer');
}

export function isExternal(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol === 'mailto:') return true;
  return /^https?:$/.test(url?.protocol ?? '') && url?.origin !== location.origin;
}

/** Fits the frame's height to its content, within limits. */
export function resize(frame: HTMLIFrameElement, inside: HTMLElement): void {
  const tall = Math.ceil(inside.getBoundingClientRect().height);
  if (tall > 0) frame.style.height = `${Math.min(Math.max(tall, 80), 560)}px`;
}
