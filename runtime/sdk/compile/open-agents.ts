import { invariant } from '../../base/assert.ts';
import { Scope } from '../../base/scope.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { Equip } from './agent.ts';
import type { Loaded } from './host.ts';
import { openServers, type ServerOffer, type Servers } from './mcp.ts';
import type { Supervisor } from './supervisor.ts';

type Agents = readonly [AgentSettings, ...AgentSettings[]];

/** The agents of a bundle that serves. */
export type OpenAgents = AsyncDisposable & {
  /** With what their servers offer now: the same objects as long as that has not changed. */
  now(): Agents;
};

type Opening = {
  readonly supervisor: Supervisor;
  readonly signal: AbortSignal;
  notice(text: string): void;
};

/** Servers are reached before `onLoad`. Faults `MCP_UNREACHABLE`, `BUNDLE_INVALID`; nothing stays open then. */
export async function openAgents(
  loaded: Loaded,
  equips: readonly Equip[],
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
  const now = follow(equips, servers);
  return { now, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}

function follow(equips: readonly Equip[], servers: Servers): () => Agents {
  let offers = servers.offers();
  let agents = equipAll(equips, offers);
  return () => {
    const now = servers.offers();
    if (!isSame(offers, now)) agents = equipAll(equips, now);
    offers = now;
    return agents;
  };
}

function equipAll(equips: readonly Equip[], offers: readonly ServerOffer[]): Agents {
  const [first, ...rest] = equips.map((equip) => equip(offers));
  invariant(first, 'a bundle without problems has an agent');
  return [first, ...rest];
}

function isSame(before: readonly ServerOffer[], now: readonly ServerOffer[]): boolean {
  return now.every(
    ({ tools, notice }, i) => tools === before[i]?.tools && notice === before[i].notice,
  );
}
