/// <reference lib="dom" />
import { h, type View } from '../dom/elements.ts';
import { HtmlFrame, resize } from '../dom/html-frame.ts';
import { MarkdownView } from '../dom/markdown.ts';
import { setText } from '../dom/patch.ts';
import type { Widgets } from '../server/widgets.ts';
import type { Item } from '../transcript/transcript-types.ts';
import type { ViewContext } from './view-context.ts';

type Canvas = Item & { readonly kind: 'canvas' };
/** Shows a growing text; `done` once it is complete. */
type Painter = {
  readonly element: HTMLElement;
  paint(text: string, done: boolean, canvas: Canvas): void;
};

/** A live canvas. It is shown while it grows, whatever its MIME type, and none of its scripts run. */
export function viewCanvas(stage: ViewContext): View<Canvas> {
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
      painter.paint(text, done, item);
    },
  };
}

function choose({ mime, name }: Canvas, { widgets, conversation }: ViewContext): Painter {
  const widget = widgets.addressOf(mime, { conversation, canvas: name });
  if (widget !== undefined) return paintWidget(widget, widgets);
  if (mime === 'text/html') return new HtmlFrame();
  if (mime === 'image/svg+xml') return paintSvg();
  if (mime === 'text/markdown' || mime === '') return paintMarkdown();
  return paintText(/json$/.test(mime));
}

/** The bundle's widget for this type. It reads the canvas from this page with the client library. */
function paintWidget(address: string, widgets: Widgets): Painter {
  const element = h('iframe', { class: 'widget', src: address, title: 'Widget' });
  const feed = widgets.feed(element);
  element.addEventListener('load', () => {
    const inside = element.contentDocument?.documentElement;
    if (inside) new ResizeObserver(() => resize(element, inside)).observe(inside);
  });
  return { element, paint: (_text, _done, canvas) => feed.show(canvas) };
}

/** The HTML parser completes an unfinished drawing without running scripts, and the result is shown as an image. */
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
  const prose = new MarkdownView('prose');
  return { element: prose.element, paint: (text, done) => prose.update(text, done) };
}

function paintText(isJson: boolean): Painter {
  const element = h('pre');
  const paint = (text: string, done: boolean) =>
    setText(element, done && isJson ? pretty(text) : text);
  return { element, paint };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // JSON lines, or not JSON: shown as written.
    return text;
  }
}
