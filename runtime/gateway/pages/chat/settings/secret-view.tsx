/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import type { Client, SecretEntry, SecretPart } from '../../../../client/index.ts';
import { usePage } from '../state/page-context.ts';
import { SecretForm } from './secret-form.tsx';

/** Requests a secret that a tool requires, or shows that it is set. */
export function SecretView({ part }: { part: SecretPart }): ReactNode {
  const { bundle, id, description } = part;
  const { ask, client } = usePage();
  const [secrets, setSecrets] = useState<readonly SecretEntry[]>([]);
  useEffect(() => {
    let isShown = true;
    void missingSecrets(client, { bundle, id, description }).then((missing) => {
      if (isShown) setSecrets(missing);
    });
    return () => {
      isShown = false;
    };
  }, [client, bundle, id, description]);
  const proceed = (name: string) => ask(`${name} is set. Please continue.`);
  return (
    <div className="secrets" data-kind="secret">
      {secrets.map((secret) => (
        <SecretForm key={secret.id} bundle={bundle} secret={secret} proceed={proceed} />
      ))}
    </div>
  );
}

/** The missing secrets as the server lists them or, if it does not answer, as the call named them. */
async function missingSecrets(
  { account }: Client,
  part: Pick<SecretPart, 'bundle' | 'id' | 'description'>,
): Promise<readonly SecretEntry[]> {
  const { bundle, id, description } = part;
  try {
    const all = await account.secrets(bundle);
    return all.filter((secret) => (id === '' ? !secret.set : secret.id === id));
  } catch {
    return id === '' ? [] : [{ id, description, set: false }];
  }
}
