/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import type { BundleFacts, OwnProps, SecretEntry } from '../../../../client/index.ts';
import { useBundles } from '../rare/use-bundles.ts';
import { useClient } from '../state/client-context.ts';
import { OwnPropsForm } from './own-props-form.tsx';
import { SecretForm } from './secret-form.tsx';

type Found = { readonly own: OwnProps; readonly secrets: readonly SecretEntry[] };

/** What users set for themselves in each bundle that lets them: props and secrets. */
export function AllBundleSettings(): ReactNode {
  return useBundles().map((bundle) => <BundleSettings key={bundle.id} bundle={bundle} />);
}

function BundleSettings({ bundle: { id, title } }: { readonly bundle: BundleFacts }): ReactNode {
  const { account } = useClient();
  const [found, setFound] = useState<Found | 'failed'>();
  useEffect(() => {
    let isShown = true;
    const show = (next: Found | 'failed') => isShown && setFound(next);
    Promise.all([account.props(id), account.secrets(id)]).then(
      ([own, secrets]) => show({ own, secrets }),
      () => show('failed'),
    );
    return () => {
      isShown = false;
    };
  }, [account, id]);
  const name = title || id;
  if (found === undefined) return null;
  if (found === 'failed') return <p role="alert">The settings of {name} could not be loaded.</p>;
  const hasProps = Object.keys(found.own.schema['properties'] ?? {}).length > 0;
  if (!hasProps && found.secrets.length === 0) return null;
  return (
    <section aria-labelledby={`settings-${id}`}>
      <h3 id={`settings-${id}`}>{name}</h3>
      {hasProps && <OwnPropsForm bundle={id} title={name} own={found.own} />}
      {found.secrets.map((secret) => (
        <SecretForm key={secret.id} bundle={id} secret={secret} />
      ))}
    </section>
  );
}
