import { isJsonObject } from '../../../runtime/base/json.ts';
import type { Facts, Log } from '../../../runtime/base/log.ts';
import type { AnswerSchema, BundleHost } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { KeyValueStore } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import type { RunBundleScript } from '../../../runtime/sdk/compile/host/scripts.ts';
import { toJson } from '../../../runtime/sdk/compile/validate/zod-schema.ts';
import { type Handlers, on, type Peer } from '../rpc/peer.ts';
import {
  type BundleOpening,
  bundleMethods,
  hostMethods,
  notifications,
} from '../rpc/rpc-protocol.ts';

/** The installation's services for a bundle, requested over the stream. */
export function createRemoteHost(
  { tenant, project }: Pick<BundleOpening, 'tenant' | 'project'>,
  { peer, generations }: { peer: Peer; generations: Generations },
): BundleHost {
  return {
    tenant,
    project,
    log: createRemoteLog(peer, {}),
    fetch: globalThis.fetch,
    storage: createRemoteStorage(peer),
    events: {
      // The worker knows the agents and event kinds of the bundle.
      send: ({ kind: { kind }, agent: _, admit: __, ...event }) =>
        peer.ask(hostMethods.send, { kind, ...event }),
      feedback: (feedback) => peer.ask(hostMethods.feedback, feedback),
      finish: (ending) => peer.ask(hostMethods.finish, ending),
      taskState: (task) => peer.ask(hostMethods.taskState, task),
      open: (opening) => peer.ask(hostMethods.open, opening),
    },
    jobs: { enqueue: (errand) => peer.ask(hostMethods.enqueue, errand) },
    secret: async ({ id, user }) =>
      (await peer.ask(hostMethods.secret, { id, ...(user === undefined ? {} : { user }) })) ??
      undefined,
    generate: async ({ role, prompt, output }, { ids: { call } }) => {
      const generation = generations.begin(output);
      const asker = call === undefined ? {} : { call };
      try {
        const schema = output?.schema ?? null;
        return await peer.ask(hostMethods.generate, { generation, role, prompt, schema, ...asker });
      } finally {
        generations.end(generation);
      }
    },
  };
}

/** Scripts run in the worker, which has the sandbox and the scripts as they were when the bundle was loaded. */
export function createRemoteScripts(peer: Peer): RunBundleScript {
  return (file, input, { call }) => peer.ask(hostMethods.script, { file, input, call });
}

/** Running model requests: their answers are checked here, where the schema is. */
export class Generations {
  readonly #outputs = new Map<string, AnswerSchema>();
  #last = 0;

  begin(output: AnswerSchema | undefined): string {
    this.#last += 1;
    if (output) this.#outputs.set(String(this.#last), output);
    return String(this.#last);
  }

  end(generation: string): void {
    this.#outputs.delete(generation);
  }

  handlers(): Handlers {
    return new Map([
      on(bundleMethods.fits, ({ generation, value }) => {
        const output = this.#outputs.get(generation);
        return output ? output.parse(value) : { ok: false, violations: [] };
      }),
    ]);
  }
}

function createRemoteStorage(peer: Peer): KeyValueStore {
  return {
    get: async (space, key) => (await peer.ask(hostMethods.get, { space, key })).value,
    set: (space, key, entry) => peer.ask(hostMethods.set, { space, key, ...entry }),
    delete: (space, key) => peer.ask(hostMethods.delete, { space, key }),
    keys: async function* (space, prefix) {
      yield* await peer.ask(hostMethods.keys, { space, prefix });
    },
  };
}

/** `baseFacts` are added to every line. */
function createRemoteLog(peer: Peer, baseFacts: Facts): Log {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, facts?: Facts) => {
    const json = toJson(Object.fromEntries(Object.entries({ ...baseFacts, ...facts }).map(plain)));
    peer.notify(notifications.log, { level, message, facts: isJsonObject(json) ? json : {} });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (facts) => createRemoteLog(peer, { ...baseFacts, ...facts }),
  };
}

/** JSON omits the fields of an error. */
function plain([key, value]: [string, unknown]): [string, unknown] {
  if (!(value instanceof Error)) return [key, value];
  const { name, message, stack } = value;
  return [key, { name, message, stack }];
}
