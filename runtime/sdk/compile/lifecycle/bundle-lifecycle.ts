import { Fault } from '../../../base/fault.ts';
import type { JsonObject } from '../../../base/json.ts';
import { Scope } from '../../../base/scope.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import type { Context } from '../../define/context.ts';
import { createContext } from '../context/base-context.ts';
import type { BundleHost, LoadedBundle } from '../host/bundle-host.ts';
import { createMask } from '../host/mask.ts';
import { openResourcePool } from '../host/resource-pool.ts';
import { noScripts, type RunBundleScript } from '../host/scripts.ts';
import { BundleProps } from '../settings/bundle-props.ts';
import { checkHooks } from '../validate/hook-points.ts';
import { unknownInBundle } from '../validate/known-keys.ts';
import type { Problems } from '../validate/problems.ts';
import { compileEventKinds } from './compile-event-kinds.ts';

type LoadOptions = {
  readonly dir: string;
  readonly revision: string;
  readonly host: BundleHost;
  readonly props?: JsonObject;
  readonly runScript?: RunBundleScript;
};

/** Loads a definition with everything it needs. The caller must unload it. */
export function loadBundle(
  definition: BundleDefinition,
  { dir, revision, host, props = {}, runScript = noScripts }: LoadOptions,
  problems: Problems,
): LoadedBundle {
  for (const problem of unknownInBundle(definition)) problems.add(problem);
  checkHooks(definition, problems);
  return {
    ...{ definition, dir, revision, host, runScript },
    mask: createMask(),
    resources: openResourcePool(),
    eventHooks: {},
    props: new BundleProps(definition, props, problems),
    kinds: compileEventKinds(definition.events ?? [], problems),
  };
}

/** Runs before any traffic. An error closes the open resources and becomes Fault `BUNDLE_INVALID`. */
export async function callOnLoad(loaded: LoadedBundle, signal: AbortSignal): Promise<void> {
  const { definition } = loaded;
  try {
    await definition.onLoad?.(contextOf(loaded, signal));
  } catch (cause) {
    await loaded.resources[Symbol.asyncDispose]();
    const because = `${definition.id}: onLoad: ${cause instanceof Error ? cause.message : cause}`;
    throw new Fault('BUNDLE_INVALID', { because }, { cause });
  }
}

/** The new props are already in force. Rejects with the bundle's error. */
export async function callOnPropsChanged(loaded: LoadedBundle, signal: AbortSignal): Promise<void> {
  await loaded.definition.onPropsChanged?.(contextOf(loaded, signal));
}

function contextOf(loaded: LoadedBundle, signal: AbortSignal): Context {
  const { definition, revision, host } = loaded;
  const ids = { tenant: host.tenant, project: host.project, bundle: definition.id, revision };
  return createContext(loaded, { ids, signal, log: host.log.with({ bundle: definition.id }) });
}

/** Runs the bundle's `dispose`, then closes its resources. */
export async function unloadBundle({ definition, resources }: LoadedBundle): Promise<void> {
  await using scope = new Scope();
  scope.own(resources);
  scope.defer(() => definition.dispose?.());
}
