import { Fault } from '../../../runtime/base/fault.ts';
import type { Json } from '../../../runtime/base/json.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { enqueueByName } from '../../../runtime/sdk/compile/context/enqueue.ts';
import {
  admission,
  bundleEvents,
  eventKind,
  firstAgent,
} from '../../../runtime/sdk/compile/context/send-event.ts';
import { isDefinition } from '../../../runtime/sdk/define/definition.ts';
import type { CallId } from '../../../runtime/timeline/ids.ts';
import { type Handlers, on, type Peer } from '../rpc/peer.ts';
import { bundleMethods, hostMethods, notifications } from '../rpc/rpc-protocol.ts';
import type { OpenCall } from './open-calls.ts';
import { serveStorage } from './serve-storage.ts';
import { idsOf, type ServeParts, usersOf } from './served-process.ts';

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
