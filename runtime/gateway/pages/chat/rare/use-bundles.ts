import { useEffect, useState } from 'react';
import type { BundleFacts, Client } from '../../../../client/index.ts';
import { useClient } from '../state/client-context.ts';

/** One request for everything on the page that shows agents. */
const known = new WeakMap<Client, Promise<readonly BundleFacts[]>>();

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
