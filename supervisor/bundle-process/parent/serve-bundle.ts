import { Fault } from '../../../runtime/base/fault.ts';
import type { Json } from '../../../runtime/base/json.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { storageSpace } from '../../../runtime/sdk/compile/context/base-context.ts';
import { enqueueByName } from '../../../runtime/sdk/compile/context/enqueue.ts';
import {
  admission,
  bundleEvents,
  eventKind,
  firstAgent,
} from '../../../runtime/sdk/compile/context/send-event.ts';
import type { LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import { createKeyValue } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import type { Ids } from '../../../runtime/sdk/define/context.ts';
import { isDefinition } from '../../../runtime/sdk/define/definition.ts';
import type { CallId } from '../../../runtime/timeline/ids.ts';
import { keysMax } from '../rpc/limits.ts';
import { type Handlers, on, type Peer } from '../rpc/peer.ts';
import { AnyJson, bundleMethods, hostMethods, notifications } from '../rpc/rpc-protocol.ts';
import type { OpenCall, OpenCalls } from './open-calls.ts';

type ServeParts = {
  readonly loaded: LoadedBundle;
  readonly calls: OpenCalls;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
};

/**
 * Serves what a process may use of the installation: secrets and values of its own bundle, and those of users and conversations
 * only while one of their calls is running. The worker checks this and does not trust the process.
 */
export function serveBundle(home: ServeParts): Handlers {
  return new Map([
    ...serveStorage(home),
    on(hostMethods.secret, ({ id, user }) => secretOf(home, { id, user })),
    on(hostMethods.send, ({ kind, ...event }) => {
      const { loaded, signal } = home;
      const own = {
        kind: eventKind(loaded, kind),
        agent: firstAgent(loaded),
        ...admission(loaded),
      };
      const sending = { ...own, ...event };
      return bundleEvents(loaded).send(sending, { ids: idsOf(loaded), signal });
    }),
    on(hostMethods.feedback, (feedback) => {
      const { loaded, signal } = home;
      return bundleEvents(loaded).feedback(feedback, { ids: idsOf(loaded), signal });
    }),
    on(hostMethods.finish, (ending) => {
      const { loaded, signal } = home;
      return bundleEvents(loaded).finish(ending, { ids: idsOf(loaded), signal });
    }),
    on(hostMethods.taskState, (task) => {
      const { loaded, signal } = home;
      return bundleEvents(loaded).taskState(task, { ids: idsOf(loaded), signal });
    }),
    on(hostMethods.open, (opening) => {
      const { loaded, signal } = home;
      return bundleEvents(loaded).open(opening, { ids: idsOf(loaded), signal });
    }),
    // The process is not trusted: the job is checked here too.
    on(hostMethods.enqueue, (errand) => {
      const { loaded, signal } = home;
      return enqueueByName(loaded, errand, { ids: idsOf(loaded), signal });
    }),
    on(hostMethods.generate, (request, peer) => generate(home, request, peer)),
    on(hostMethods.script, ({ file, input, call }) => {
      const asking = openCall(home, call);
      return home.loaded.runScript(file, input, asking.context);
    }),
    on(notifications.log, ({ level, message, facts }) =>
      home.loaded.host.log[level](message, facts),
    ),
  ]);
}

function serveStorage(home: ServeParts): Handlers {
  const { storage } = home.loaded.host;
  // The process is not trusted: key and value are checked here too.
  const own = (space: string) => createKeyValue(storage, permittedSpace(home, space));
  return new Map([
    on(hostMethods.get, async ({ space, key }) => {
      const value = await own(space).get(key, AnyJson);
      return value === undefined ? {} : { value };
    }),
    on(hostMethods.set, ({ space, key, value, ...options }) => own(space).set(key, value, options)),
    on(hostMethods.delete, ({ space, key }) => own(space).delete(key)),
    on(hostMethods.keys, async ({ space, prefix }) => {
      const keys: string[] = [];
      for await (const key of own(space).keys(prefix)) {
        if (keys.length === keysMax) {
          throw new Refusal('too_large', `More than ${keysMax} keys start with “${prefix}”.`);
        }
        keys.push(key);
      }
      return keys;
    }),
  ]);
}

async function secretOf(
  { loaded, calls }: ServeParts,
  { id, user }: { id: string; user?: string | undefined },
): Promise<string | null> {
  const { definition, host, mask } = loaded;
  const secret = definition.secrets?.find((each) => each.id === id);
  if (!isDefinition('secret', secret))
    throw new Fault('NOT_IN_BUNDLE', { because: `secret ${id}` });
  const isPresent = usersOf(calls).some((present) => present === user);
  const owner = secret.for === 'user' && user !== undefined && isPresent ? { user } : {};
  const value = await host.secret({ id, for: secret.for, bundle: definition.id, ...owner });
  if (value !== undefined) mask.add(value);
  return value ?? null;
}

/** Users with a running call or operation. */
function usersOf(calls: OpenCalls): readonly string[] {
  const visitors = calls.operations().flatMap(({ user }) => user ?? []);
  return [...calls.all().map(({ context }) => context.scope.user), ...visitors];
}

/** Refusal `call_over` for the space of a user without a running call. */
function permittedSpace({ loaded, calls }: ServeParts, space: string): string {
  const spaces = [
    storageSpace(idsOf(loaded), 'bundle'),
    ...calls
      .operations()
      .flatMap(({ user }) =>
        user === undefined ? [] : [storageSpace({ ...idsOf(loaded), user }, 'user')],
      ),
    ...calls.all().flatMap((call) => {
      const ids = idsOf(loaded, call);
      return [
        storageSpace(ids, 'bundle'),
        storageSpace(ids, 'user'),
        storageSpace(ids, 'conversation'),
      ];
    }),
  ];
  if (spaces.includes(space)) return space;
  throw new Refusal('call_over', 'No running call may use these values.');
}

type Generation = {
  readonly generation: string;
  readonly role: 'decision' | 'answer' | 'summary' | 'selection' | 'small';
  readonly prompt: string;
  readonly schema: { readonly [key: string]: Json } | null;
  readonly call?: CallId;
};

async function generate(
  { loaded, calls, signal }: ServeParts,
  { generation, role, prompt, schema, call }: Generation,
  peer: Peer,
): Promise<Json> {
  const { host } = loaded;
  if (!host.generate) throw new Fault('NOT_AVAILABLE', { because: 'ctx.generate' });
  const asking = call === undefined ? undefined : openCall({ calls }, call);
  const parse = (value: Json) => peer.ask(bundleMethods.fits, { generation, value });
  const output = schema === null ? {} : { output: { schema, parse } };
  return host.generate(
    { role, prompt, ...output },
    {
      ids: idsOf(loaded, asking),
      signal: asking?.context.signal ?? signal,
      budget: asking?.context.budget,
    },
  );
}

function openCall({ calls }: Pick<ServeParts, 'calls'>, id: string): OpenCall {
  const found = calls.all().find(({ context }) => context.call === id);
  if (found) return found;
  throw new Refusal('call_over', 'The requesting call is over.');
}

function idsOf({ definition, revision, host }: LoadedBundle, call?: OpenCall): Ids {
  const { tenant, project } = host;
  const bundle = { tenant, project, bundle: definition.id, revision };
  if (!call) return bundle;
  const { scope, conversation, turn, round, call: id } = call.context;
  return { ...bundle, ...scope, conversation, turn, round, call: id, agent: call.agent };
}
