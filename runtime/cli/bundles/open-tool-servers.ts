import { openToolServers } from '../../adapters/mcp/open-tool-servers.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { ToolServer, ToolServers } from '../../sdk/compile/host/tool-servers.ts';
import { type Config, environment } from '../config/config.ts';

/** Replaces the servers of these ids by servers without tools, which are never connected. */
export function withoutServers(servers: ToolServers, ids: readonly string[]): ToolServers {
  return {
    open: async (settings, options) =>
      ids.includes(settings.id) ? disabledServer : servers.open(settings, options),
  };
}

const nothing = { tools: [] };
const disabledServer: ToolServer = {
  offer: () => nothing,
  problem: undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

/** The MCP servers that bundles may use; `scope` ends their sessions. Undefined in a process without a worker, which calls no tools. */
export function openServers(
  { tenant }: Pick<Config, 'tenant'>,
  { log, scope, works }: { log: Log; scope: Scope; works: boolean },
): ToolServers | undefined {
  if (!works) return undefined;
  const path = environment()['PATH'] ?? '';
  const { fetch } = globalThis;
  return scope.own(openToolServers({ tenant, fetch, path, clock: systemClock, log }));
}
