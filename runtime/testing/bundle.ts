import { openToolServers } from '../adapters/mcp/open-tool-servers.ts';
import type { Scope } from '../base/scope.ts';
import { environment } from '../cli/config/config.ts';
import type { Ports } from '../cli/wiring/open-runtime.ts';
import { callModel } from '../engine/model/internal-call.ts';
import type { Model } from '../engine/ports/model.ts';
import { createBundleEvents } from '../gateway/intake/bundle-events.ts';
import { compileBundle } from '../sdk/compile/compile-bundle.ts';
import { userPropsKey, userPropsSpace } from '../sdk/compile/context/user-props.ts';
import type { JobQueue } from '../sdk/compile/host/bundle-host.ts';
import type { RuntimeBundle, UserProps } from '../sdk/contract/runtime-bundle.ts';
import { openPlatform } from './platform.ts';
import { testScope } from './test-scope.ts';
import type { TestOptions } from './types.ts';

type Parts = {
  readonly ports: Ports;
  readonly model: Model;
  readonly jobs: JobQueue;
  readonly scope: Scope;
};

/** Compiles the bundle of a test as a server does; `scope` disposes of it. */
export async function openBundle(
  options: TestOptions & { readonly dir: string },
  { ports, model, jobs, scope }: Parts,
): Promise<RuntimeBundle> {
  const { bundle, dir, exec = 'off', props = {}, secrets = {} } = options;
  const platform = await openPlatform(ports, { exec, scope });
  const fetch = fetchOf(options.fetch);
  const path = environment()['PATH'] ?? '';
  const { clock, log } = ports;
  const servers = scope.own(openToolServers({ tenant: testScope.tenant, fetch, path, clock, log }));
  const stopped = new AbortController();
  scope.defer(() => stopped.abort());
  const compiled = await compileBundle(bundle, {
    dir,
    revision: 'test',
    platform,
    props,
    signal: stopped.signal,
    host: {
      ...testScope,
      ...{ log, fetch, servers, events: createBundleEvents(ports, testScope), jobs },
      storage: ports.storage,
      secret: async ({ id, for: scope, bundle, user }) =>
        scope === 'user'
          ? user && ports.userSecrets.get({ ...testScope, user, bundle, id })
          : secrets[id],
      generate: (request, options) => callModel(model, request, options),
    },
  });
  scope.defer(() => compiled.dispose());
  await setUserSecrets(options, ports);
  await setUserProps(options, compiled.userProps, ports);
  return compiled;
}

async function setUserSecrets(
  { bundle, userSecrets = {} }: TestOptions,
  ports: Ports,
): Promise<void> {
  for (const [user, values] of Object.entries(userSecrets)) {
    for (const [id, value] of Object.entries(values)) {
      await ports.userSecrets.set({ ...testScope, user, bundle: bundle.id, id }, value);
    }
  }
}

async function setUserProps(
  { bundle, userProps = {} }: TestOptions,
  declared: UserProps,
  { storage }: Ports,
): Promise<void> {
  for (const [user, value] of Object.entries(userProps)) {
    declared.check(value);
    const space = userPropsSpace({ ...testScope, user, bundle: bundle.id });
    await storage.set(space, userPropsKey, { value });
  }
}

function fetchOf(answer: TestOptions['fetch']): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (answer) return answer(request);
    throw new Error(
      `tests have no network access: pass a fetch to openRuntime that answers ${request.url}`,
    );
  };
}
