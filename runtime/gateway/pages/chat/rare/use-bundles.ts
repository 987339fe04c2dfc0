import { useEffect, useState } from 'react';
import type { BundleFacts, Client } from '../../../../client/index.ts';
import { useClient } from '../state/client-context.ts';
import type { AgentId } from '../state/page-context.ts';

/** One request for everything on the page that shows agents. */
const known = new WeakMap<Client, Promise<readonly BundleFacts[]>>();

export type Agent = { readonly bundle: string; readonly agent: string; readonly label: string };

/** All agents, those of the default bundle first, with what people call them. */
export function agentsOf(bundles: readonly BundleFacts[]): readonly Agent[] {
  return bundles
    .toSorted((one, other) => Number(other.default) - Number(one.default))
    .flatMap(({ id, title, agents }) =>
      agents.map((agent) => {
        const name = title || id;
        return { bundle: id, agent, label: agents.length === 1 ? name : `${name} · ${agent}` };
      }),
    );
}

/** The models that users may choose for a turn of this agent. */
export function modelChoicesOf(
  bundles: readonly BundleFacts[],
  { bundle, agent }: AgentId,
): readonly string[] {
  return bundles.find(({ id }) => id === bundle)?.modelChoices?.[agent] ?? [];
}

/** The bundles of the installation. Empty until they are known. Without them, messages go to the default agent. */
export function useBundles(): readonly BundleFacts[] {
  const client = useClient();
  const [bundles, setBundles] = useState<readonly BundleFacts[]>([]);
  useEffect(() => {
    let isShown = true;
    const loading = known.get(client) ?? client.bundles();
    known.set(client, loading);
    loading.then(
      (found) => {
        if (isShown) setBundles(found);
      },
      () => known.delete(client),
    );
    return () => {
      isShown = false;
    };
  }, [client]);
  return bundles;
}
