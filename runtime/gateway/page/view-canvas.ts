/// <reference lib="dom" />
import { h, type View } from './dom.ts';
import { renderMarkdown } from './markdown.ts';
import type { Stage } from './stage.ts';
import type { Item } from './story-types.ts';

type Canvas = Item & { readonly kind: 'canvas' };
/** Shows a text that grows; `done` once it will not grow any more. */
type Painter = { readonly element: HTMLElement; paint(text: string, done: boolean): void };

/** A live page: whatever its mime is, it is seen growing, and nothing in it runs. */
export function viewCanvas(stage: Stage): View<Canvas> {
  const [title, kind] = [h('span', { class: 'label' }), h('span', { class: 'calls' })];
  const head = h('div', { class: 'head' }, title, h('span', { class: 'spacer' }), kind);
  const element = h('section', { class: 'panel canvas' }, head);
  let painter: Painter | undefined;
  return {
    element,
    update: (item) => {
      const { name, mime, text, done } = item;
      title.textContent = item.title || name || 'Canvas';
      kind.textContent = mime;
      element.classList.toggle('live', !done);
      if (!painter) {
        painter = choose(item, stage);
        element.append(painter.element);
      }
      painter.paint(text, done);
    },
  };
}

function choose({ mime, name }: Canvas, { widgets, conversation }: Stage): Painter {
  const widget = widgets.addressOf(mime, { conversation, canvas: name });
  if (widget !== undefined) return paintWidget(widget);
  if (mime === 'text/html') return paintHtml();
  if (mime === 'image/svg+xml') return paintSvg();
  if (mime === 'text/markdown' || mime === '') return paintMarkdown();
  return paintText(/json$/.test(mime));
}

/** The bundle's own page for this kind: it follows the canvas itself, with the client library. */
function paintWidget(address: string): Painter {
  const element = h('iframe', { class: 'widget', src: address, title: 'Widget' });
  element.addEventListener('load', () => {
    const inside = element.contentDocument?.documentElement;
    if (inside) new ResizeObserver(() => resize(element, inside)).observe(inside);
  });
  return { element, paint: () => undefined };
}

/** As tall as what is in it, within reason. */
function resize(frame: HTMLIFrameElement, inside: HTMLElement): void {
  const tall = Math.ceil(inside.getBoundingClientRect().height);
  if (tall > 0) frame.style.height = `${Math.min(Math.max(tall, 80), 560)}px`;
}

/**
 * Written into the frame piece by piece, so that it grows without flicker. The frame may not run scripts; being of
 * our origin only lets us write into it and see how tall it is.
 */
function paintHtml(): Painter {
  const element = h('iframe', { sandbox: 'allow-same-origin', title: 'Canvas' });
  let written: string | undefined;
  const paint = (text: string, done: boolean) => {
    const inside = element.contentDocument;
    if (!inside) return;
    if (written === undefined || !text.startsWith(written)) {
      inside.open();
      written = '';
    }
    inside.write(text.slice(written.length));
    written = text;
    if (done) inside.close();
    resize(element, inside.documentElement);
  };
  return { element, paint: whenShown(element, paint) };
}

/** A frame has a document only once it stands in the page. */
function whenShown(element: HTMLElement, paint: Painter['paint']): Painter['paint'] {
  return (text, done) => {
    if (element.isConnected) paint(text, done);
    else requestAnimationFrame(() => paint(text, done));
  };
}

/** What is there of an unfinished drawing is closed by the HTML parser, which runs nothing, and shown as an image. */
function paintSvg(): Painter {
  const image = h('img', { alt: 'Drawing' });
  const element = h('div', { class: 'picture' }, image);
  const paint = (text: string) => {
    const drawing = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
    if (!drawing) return;
    drawing.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const source = new XMLSerializer().serializeToString(drawing);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  };
  return { element, paint };
}

function paintMarkdown(): Painter {
  const element = h('div', { class: 'prose' });
  return { element, paint: (text) => element.replaceChildren(renderMarkdown(text)) };
}

function paintText(isJson: boolean): Painter {
  const element = h('pre');
  const paint = (text: string, done: boolean) => {
    element.textContent = done && isJson ? pretty(text) : text;
  };
  return { element, paint };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Many lines of JSON, or none: it is shown as it was written.
    return text;
  }
}
