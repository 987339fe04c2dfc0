import { Refusal } from '../../base/refusal.ts';
import type { Client } from '../api/client.ts';
import type { Conversation, Delta } from '../api/types.ts';

/** What a page offers to the widgets in it. They are of its origin, so they share its objects. */
export type WidgetHost = {
  readonly client: Client;
  /** The canvas that a frame of the page shows, from its beginning; undefined: the frame shows none. */
  canvas(frame: unknown): AsyncIterable<Delta> | undefined;
};

/** The number is that of this contract: a widget may bring its own copy of this library. */
const hostKey = Symbol.for('timeloom.widget-host.1');

/** Widgets that this page shows use `host` from now on. */
export function hostWidgets(host: WidgetHost): void {
  Reflect.set(globalThis, hostKey, host);
}

/** What the page around this one offers; undefined: nothing, or there is no page around it. */
export function hostOfWidget(): WidgetHost | undefined {
  try {
    const around: unknown = Reflect.get(globalThis, 'parent');
    if (typeof around !== 'object' || around === null || around === globalThis) return undefined;
    const host: unknown = Reflect.get(around, hostKey);
    return isHost(host) ? host : undefined;
  } catch {
    // The page around is of another origin.
    return undefined;
  }
}

function isHost(value: unknown): value is WidgetHost {
  return typeof value === 'object' && value !== null && 'client' in value && 'canvas' in value;
}

/** The page's client as a widget has it: closing it closes nothing. */
export function clientFromHost({ client, canvas }: WidgetHost): Client {
  return {
    conversation: (id, options) => withoutEarlier(client.conversation(id, options)),
    conversations: (options) => client.conversations(options),
    bundles: () => client.bundles(),
    operation: (bundle, id, input) => client.operation(bundle, id, input),
    fetch: (path) => client.fetch(path),
    async *canvas() {
      const shown = canvas(Reflect.get(globalThis, 'frameElement'));
      if (!shown) throw noCanvas();
      yield* shown;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The page's conversation without `earlier`: what one of them loads, the other would not see. */
function withoutEarlier(conversation: Conversation): Conversation {
  return new Proxy(conversation, {
    get(target, key) {
      if (key === 'hasEarlier') return false;
      if (key === 'earlier') return () => Promise.reject(earlierNotSupported());
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function earlierNotSupported(): Refusal {
  const message =
    'earlier: the chat page loads earlier turns; connect with options to load them in a widget';
  return new Refusal('not_supported', message);
}

export function noCanvas(): Refusal {
  return new Refusal('invalid_input', 'canvas: only a widget that shows one has a canvas');
}
