import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../../base/fault.ts';
import type { Log as HostLog } from '../../../base/log.ts';
import type { TurnBudget } from '../../../tools/ports/turn-budget.ts';
import type { Context, Ids, Log } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Props, Resource } from '../../define/keys.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { keyValueOf } from '../host/key-value-store.ts';
import type { Mask } from '../host/mask.ts';
import { openAsset } from './assets.ts';
import { enqueueJob } from './enqueue.ts';
import { createGenerate } from './generate.ts';
import { readSecret } from './secrets.ts';
import { giveFeedback, openConversation, sendEvent, taskFunctions } from './send-event.ts';

export type ContextScope = {
  readonly ids: Ids;
  readonly signal: AbortSignal;
  readonly log: HostLog;
  /** The turn's budget, if there is a turn. */
  readonly budget?: TurnBudget | undefined;
};

/** `ctx` without a user or a turn. */
export function createContext(loaded: LoadedBundle, occasion: ContextScope): Context {
  const { host, mask, definition } = loaded;
  const { ids, signal } = occasion;
  // Users share resources, so none is opened as one of them.
  const { user: _, ...everyone } = ids;
  const shared = () => createContext(loaded, { ...occasion, ids: everyone });
  return {
    signal,
    ids,
    log: createLog(occasion.log, mask),
    fetch: (input, init) => host.fetch(input, { ...init, signal: anySignal(signal, init?.signal) }),
    storage: {
      bundle: keyValueOf(host.storage, ids, 'bundle'),
    },
    secrets: {
      get: (secret) => readSecret(secret, loaded, ids),
      matches: async (secret, given) => isSameSecret(await readSecret(secret, loaded, ids), given),
    },
    events: { send: (event, to) => sendEvent(loaded, { event, to, ids, signal }) },
    jobs: {
      enqueue: (job, input, wish = {}) => enqueueJob(loaded, { job, input, wish, ids, signal }),
    },
    feedback: (entry) => giveFeedback(loaded, { entry, ids, signal }),
    tasks: taskFunctions(loaded, { ids, signal }),
    conversations: { open: (asked) => openConversation(loaded, { asked, ids, signal }) },
    asset: (path) => openAsset(loaded.dir, path),
    props: propsReader(loaded),
    use: async <R>(key: Resource<R>) => {
      if (!isDefinition('resource', key) || !definition.resources?.includes(key)) {
        throw new Fault('NOT_IN_BUNDLE', { because: 'this resource' });
      }
      return typedBy<R>(key, await loaded.resources.use(key, shared()));
    },
    generate: createGenerate(loaded, occasion),
  };
}

/** `ctx.props`; `read` returns the values in force. */
export function propsReader(
  { definition, props }: LoadedBundle,
  read: () => Readonly<Record<string, unknown>> = () => props.now,
): Context['props'] {
  return <P>(key: Props<P>) => {
    if (key !== definition.props) throw new Fault('NOT_IN_BUNDLE', { because: 'these props' });
    return typedBy(key, read());
  };
}

/** The definition that a value was made from proves its type. */
function typedBy<T>(_proof: { '~props'?: T } | { '~resource'?: T }, value: unknown): T {
  return value as T;
}

function createLog(log: HostLog, mask: Mask): Log {
  const at =
    (level: keyof Log): Log[keyof Log] =>
    (message, facts = {}) =>
      log[level](mask.text(message), maskFacts(facts, mask));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function maskFacts(facts: Record<string, unknown>, mask: Mask): Record<string, unknown> {
  const masked = Object.entries(facts).map(([key, value]) => [
    key,
    typeof value === 'string' ? mask.text(value) : value,
  ]);
  return Object.fromEntries(masked);
}

/** Both signals end with the request, so combining them retains nothing. */
function anySignal(signal: AbortSignal, other: AbortSignal | null | undefined): AbortSignal {
  return other ? AbortSignal.any([signal, other]) : signal;
}

function isSameSecret(value: string, given: string | null): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return given !== null && timingSafeEqual(digest(value), digest(given));
}
