import type { Client, Delta } from '../../../../client/index.ts';
import { fields, text } from '../../../../client/story/json-fields.ts';
import { pageFacts } from '../../../../client/widgets/page-facts.ts';
import { hostWidgets } from '../../../../client/widgets/widget-host.ts';
import { CanvasFeed } from './canvas-feed.ts';

type Widget = { readonly bundle: string; readonly id: string; readonly renders: readonly string[] };

const known = new WeakMap<Client, Widgets>();

/** The widgets of a page. From the first call on, they can use the page's client. */
export function widgetsOf(client: Client): Widgets {
  const before = known.get(client);
  if (before) return before;
  const widgets = new Widgets();
  known.set(client, widgets);
  hostWidgets({ client, canvas: (frame) => widgets.read(frame) });
  return widgets;
}

/** The widgets that bundles provide for their own canvas types. */
class Widgets {
  readonly #known = new Map<string, readonly Widget[]>();
  /** Feeds by the frame that shows them. */
  readonly #feeds = new WeakMap<object, CanvasFeed>();
  readonly #listeners = new Set<() => void>();
  #loaded: ReadonlySet<string> = new Set();

  /** The canvas deltas for the widget in a frame; undefined if the frame shows no widget. */
  read(frame: unknown): AsyncIterable<Delta> | undefined {
    return isObject(frame) ? this.#feeds.get(frame)?.deltas() : undefined;
  }

  feed(frame: object): CanvasFeed {
    const feed = new CanvasFeed();
    this.#feeds.set(frame, feed);
    return feed;
  }

  /** The bundles whose widgets are known. The set is a new one after every change. */
  get loaded(): ReadonlySet<string> {
    return this.#loaded;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Loads the widgets of a bundle, once. */
  load(bundle: string): void {
    if (bundle === '' || this.#known.has(bundle)) return;
    this.#known.set(bundle, []);
    void this.#load(bundle).then(() => {
      this.#loaded = new Set([...this.#loaded, bundle]);
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Address of the widget for a MIME type; undefined if no bundle has one. */
  addressOf(mime: string, shown: { conversation: string; canvas: string }): string | undefined {
    const widgets = [...this.#known.values()].flat();
    const found = widgets.find(({ renders }) => renders.includes(mime));
    if (!found) return undefined;
    return `${bundles()}/${found.bundle}/widgets/${found.id}/?${new URLSearchParams(shown)}`;
  }

  async #load(bundle: string): Promise<void> {
    const answer = await fetch(`${bundles()}/${bundle}/widgets`).catch(() => undefined);
    if (!answer?.ok) {
      // Without widgets a canvas is shown as text. The next turn tries again.
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
