import { invariant } from '../../../base/assert.ts';
import { Scope } from '../../../base/scope.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import type { Supervisor } from '../lifecycle/supervisor.ts';
import type { BundleProps } from '../settings/bundle-props.ts';
import { openServers, type ServerOffer, type Servers } from '../tools/mcp-servers.ts';
import type { CompiledAgent } from './compile-agent.ts';

type Agents = readonly [AgentSettings, ...AgentSettings[]];

/** The agents of a bundle that is serving. */
export type OpenAgents = AsyncDisposable & {
  /** The current settings, including server offers and live props. Returns the same objects while neither changes. */
  now(): Agents;
};

type Opening = {
  readonly supervisor: Supervisor;
  readonly signal: AbortSignal;
  notice(text: string): void;
};

/** Connects to servers before `onLoad`. After Fault `MCP_UNREACHABLE` or `BUNDLE_INVALID` nothing stays open. */
export async function openAgents(
  loaded: LoadedBundle,
  equips: readonly CompiledAgent[],
  { supervisor, signal, notice }: Opening,
): Promise<OpenAgents> {
  const scope = new Scope();
  const servers = scope.own(await openServers(loaded, { signal, notice }));
  try {
    await supervisor.open(signal);
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
  scope.defer(() => supervisor.close());
  const now = follow(equips, servers, loaded.props);
  return { now, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}

function follow(
  equips: readonly CompiledAgent[],
  servers: Servers,
  props: Pick<BundleProps, 'settings'>,
): () => Agents {
  let offers = servers.offers();
  let operator = props.settings;
  const equipAll = (): Agents => {
    const [first, ...rest] = equips.map((equip) => equip.settings(offers, operator));
    invariant(first, 'a bundle without problems has an agent');
    return [first, ...rest];
  };
  let agents = equipAll();
  return () => {
    const [offered, set] = [servers.offers(), props.settings];
    const isChanged = set !== operator || !isSame(offers, offered);
    [offers, operator] = [offered, set];
    if (isChanged) agents = equipAll();
    return agents;
  };
}

function isSame(before: readonly ServerOffer[], now: readonly ServerOffer[]): boolean {
  return now.every(
    ({ tools, notice }, i) => tools === before[i]?.tools && notice === before[i].notice,
  );
}
