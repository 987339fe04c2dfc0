import { promisify } from 'node:util';
import type { EgressPolicy } from '../../engine/ports/agent-sandbox.ts';
import { createGate, refusalOf } from './allowed-hosts.ts';
import { egressConnectMsMax } from './limits.ts';

/** What of a policy leads nowhere: models that do not answer, hosts without a public address. */
export async function probeEgress(policy: EgressPolicy): Promise<readonly string[]> {
  const models = Object.values(policy.models).map(({ url }) => probeModel(url));
  // Any host may be below a wildcard.
  const named = policy.hosts.filter((rule) => !rule.startsWith('*.'));
  const hosts = named.map((rule) => probeHost(rule.replace(/:\d+$/, ''), policy));
  const found = await Promise.all([...models, ...hosts]);
  return found.filter((problem) => problem !== undefined);
}

/** Any answer will do: no request is made that costs something. */
async function probeModel(url: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(egressConnectMsMax);
    const { body } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal });
    await body?.cancel();
    return undefined;
  } catch {
    return `no model answers at ${url}`;
  }
}

async function probeHost(host: string, policy: EgressPolicy): Promise<string | undefined> {
  try {
    await promisify(createGate(policy).lookup)(host, {});
    return undefined;
  } catch (error) {
    const refused = refusalOf(error) !== undefined;
    return refused
      ? `${host} has no public address; add it to private_hosts`
      : `${host} has no address`;
  }
}
