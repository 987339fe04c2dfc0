import type { CallContext } from '../../../tools/ports/tool.ts';
import type { HookSite } from '../../contract/runtime-hooks.ts';
import type { ToolContext, UserContext } from '../../define/context.ts';
import { createContext } from '../context/base-context.ts';
import { createToolContext } from '../context/turn-context.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { keyValueOf } from '../host/key-value-store.ts';

export type HookHome = {
  readonly loaded: LoadedBundle;
  /** Serves `ctx.call`. Calls made by a hook run without hooks, to prevent endless recursion. */
  callFrom(call: CallContext): ToolContext['call'];
};

/** `ctx` of a hook: the context of the call, if it runs for one. */
export function hookContext(
  id: string,
  { loaded, site, callFrom }: HookHome & { readonly site: HookSite },
  signal: AbortSignal,
): UserContext {
  const { host, definition, revision } = loaded;
  if (site.kind === 'call') {
    const call = { ...site.call, signal };
    const { agent } = site;
    return createToolContext({ loaded, call, agent, tool: `hook ${id}`, callTool: callFrom(call) });
  }
  const { tenant, project } = host;
  const { user, conversation, agent } = site;
  const place = {
    ...(conversation === undefined ? {} : { conversation }),
    ...(agent === undefined ? {} : { agent }),
  };
  const ids = { tenant, project, bundle: definition.id, revision, user, ...place };
  const log = host.log.with({ bundle: definition.id, hook: id });
  const { storage, ...base } = createContext(loaded, { ids, signal, log });
  const own = keyValueOf(host.storage, ids, 'user');
  return { ...base, ids, storage: { ...storage, user: own } };
}
