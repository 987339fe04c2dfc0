import { Refusal } from '../../base/refusal.ts';
import type { Client } from '../api/client.ts';
import type { Conversation, Delta } from '../api/types.ts';

/** What a page provides to its widgets. They have the same origin, so they can share objects. */
export type WidgetHost = {
  readonly client: Client;
  /** The canvas that a frame of the page shows, from its beginning; undefined if the frame shows none. */
  canvas(frame: unknown): AsyncIterable<Delta> | undefined;
};

/** Includes a version of this contract, because a widget may bring its own copy of this library. */
const hostKey = Symbol.for('timeloom.widget-host.1');

/** Makes `host` available to the widgets that this page shows. */
export function hostWidgets(host: WidgetHost): void {
  Reflect.set(globalThis, hostKey, host);
}

/** The host of the surrounding page; undefined if there is none. */
export function hostOfWidget(): WidgetHost | undefined {
  try {
    const around: unknown = Reflect.get(globalThis, 'parent');
    if (typeof around !== 'object' || around === null || around === globalThis) return undefined;
    const host: unknown = Reflect.get(around, hostKey);
    return isHost(host) ? host : undefined;
  } catch {
    // The surrounding page has another origin.
    return undefined;
  }
}

function isHost(value: unknown): value is WidgetHost {
  return typeof value === 'object' && value !== null && 'client' in value && 'canvas' in value;
}

/** The page's client for a widget. Closing it has no effect. */
export function clientFromHost({ client, canvas }: WidgetHost): Client {
  return {
    conversation: (id, options) => withoutEarlier(client.conversation(id, options)),
    conversations: (options) => client.conversations(options),
    onListChange: (changed) => client.onListChange(changed),
    bundles: () => client.bundles(),
    memory: client.memory,
    account: client.account,
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

/** The page's conversation without `earlier`, because events loaded by one of them would be missing in the other. */
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
    'earlier is not available here, because the chat page loads earlier turns; connect with options to load them in a widget';
  return new Refusal('not_supported', message);
}

export function noCanvas(): Refusal {
  return new Refusal('invalid_input', 'canvas is only available in a widget that shows a canvas');
}
