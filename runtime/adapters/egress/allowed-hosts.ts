import type { LookupFunction } from 'node:net';
import { assertPublicHost, publicLookup } from '../../base/network/public-address.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { EgressPolicy } from '../../engine/ports/agent-sandbox.ts';

export type Gate = {
  /** Refusal `address_refused`. */
  check(host: string, port: number): void;
  /** Resolves a host for one connection; only to a public address, unless the host is exempt. */
  readonly lookup: LookupFunction;
};

export function createGate({ hosts, privateHosts }: EgressPolicy): Gate {
  const isExempt = (host: string) => privateHosts.includes(host.toLowerCase());
  return {
    check: (host, port) => {
      if (!hosts.some((rule) => matches(rule, host.toLowerCase(), port)))
        throw new Refusal('address_refused', `${host}:${port} is not an allowed host`);
      assertPublicHost(host, isExempt);
    },
    lookup: publicLookup(isExempt),
  };
}

const usualPorts: readonly number[] = [80, 443];

/** A rule without a port allows the usual ones. */
function matches(rule: string, host: string, port: number): boolean {
  const [, name = '', stated] = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? [];
  const isPort = stated === undefined ? usualPorts.includes(port) : Number(stated) === port;
  if (!isPort) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}

/** The text of a refusal; undefined: the host cannot be reached. */
export function refusalOf(error: unknown): string | undefined {
  return isRefusal(error) ? error.message : undefined;
}
