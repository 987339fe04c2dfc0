import type { Delta } from '../../../client/index.ts';
import { pageFacts } from '../../../client/widgets/page-facts.ts';
import { fields, text } from '../transcript/json-fields.ts';
import { CanvasFeed } from './canvas-feed.ts';

type Widget = { readonly bundle: string; readonly id: string; readonly renders: readonly string[] };

/** The pages that bundles bring for their own kinds of canvases. */
export class Widgets {
  readonly #known = new Map<string, readonly Widget[]>();
  /** By the frame that shows it. */
  readonly #feeds = new WeakMap<object, CanvasFeed>();
  #loading = Promise.resolve();

  /** What the widget in a frame reads of its canvas; undefined: the frame is none of a widget. */
  read(frame: unknown): AsyncIterable<Delta> | undefined {
    return isObject(frame) ? this.#feeds.get(frame)?.deltas() : undefined;
  }

  feed(frame: object): CanvasFeed {
    const feed = new CanvasFeed();
    this.#feeds.set(frame, feed);
    return feed;
  }

  /** Which widgets a bundle has; asked once. */
  load(bundle: string): Promise<void> {
    if (bundle !== '' && !this.#known.has(bundle)) {
      this.#known.set(bundle, []);
      this.#loading = this.#load(bundle);
    }
    return this.#loading;
  }

  /** Where the page for a mime is; undefined when no bundle has one. */
  addressOf(mime: string, shown: { conversation: string; canvas: string }): string | undefined {
    const widgets = [...this.#known.values()].flat();
    const found = widgets.find(({ renders }) => renders.includes(mime));
    if (!found) return undefined;
    return `${bundles()}/${found.bundle}/widgets/${found.id}/?${new URLSearchParams(shown)}`;
  }

  async #load(bundle: string): Promise<void> {
    const answer = await fetch(`${bundles()}/${bundle}/widgets`).catch(() => undefined);
    if (!answer?.ok) {
      // Without widgets a canvas is shown as text; the next turn asks again.
      this.#known.delete(bundle);
      return;
    }
    const { items } = fields(await answer.json());
    const widgets = (Array.isArray(items) ? items : []).map((item) => {
      const { id, renders } = fields(item);
      const mimes = Array.isArray(renders) ? renders.map(text) : [];
      return { bundle, id: text(id), renders: mimes };
    });
    this.#known.set(bundle, widgets);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function bundles(): string {
  const { tenant, project } = pageFacts();
  return `/api/bundles/${tenant}/${project}`;
}
