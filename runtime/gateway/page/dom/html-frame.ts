/// <reference lib="dom" />
import { h } from './elements.ts';

/**
 * Comes before generated HTML: it loads nothing and submits nothing, and a link that this page does not handle opens
 * beside it. The document type comes first, because the one in the text is too late to count.
 */
const preamble = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
img-src data: blob:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'"><base target="_blank">`;

const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

/**
 * Shows generated HTML while it grows. No script in it runs; it is of our origin only so that this page can write into
 * it piece by piece, handle its links, and see how tall it is.
 *
 * A browser gives a frame that changes its place a new, empty document. What is written belongs to one document, so a
 * new one gets the whole text again.
 */
export class HtmlFrame {
  readonly element = h('iframe', { sandbox, title: 'Canvas' });
  #text = '';
  #isDone = false;
  #written:
    | { readonly inside: Document; readonly text: string; readonly isClosed: boolean }
    | undefined;

  constructor() {
    this.element.addEventListener('load', () => this.#write());
  }

  paint(text: string, done: boolean): void {
    this.#text = text;
    this.#isDone = done;
    this.#write();
  }

  #write(): void {
    const inside = this.element.contentDocument;
    // Outside the page a frame has no document; it gets one, and says so, when it is put in.
    if (!inside) return;
    const before = this.#written?.inside === inside ? this.#written : undefined;
    const isSame = before?.text === this.#text;
    if (before?.isClosed && isSame) return;
    // Writing to a closed document would empty it first.
    const goesOn = before && !before.isClosed && this.#text.startsWith(before.text);
    if (!goesOn) begin(inside);
    inside.write(this.#text.slice(goesOn ? before.text.length : 0));
    if (this.#isDone) inside.close();
    this.#written = { inside, text: this.#text, isClosed: this.#isDone };
    resize(this.element, inside.documentElement);
  }
}

function begin(inside: Document): void {
  inside.open();
  inside.write(preamble);
  inside.addEventListener('click', follow);
}

/** Only the page opens links of generated HTML: no other target, no opener, and never an address of this server. */
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

/** As tall as what is in it, within reason. */
export function resize(frame: HTMLIFrameElement, inside: HTMLElement): void {
  const tall = Math.ceil(inside.getBoundingClientRect().height);
  if (tall > 0) frame.style.height = `${Math.min(Math.max(tall, 80), 560)}px`;
}
