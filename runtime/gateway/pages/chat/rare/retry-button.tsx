/// <reference lib="dom" />
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { TurnState } from '../../../../client/index.ts';
import { retryIcon } from '../../shared/action-icons.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { usePage } from '../state/page-context.ts';
import { agentsOf, modelChoicesOf, useBundles } from './use-bundles.ts';

const RetryMenu = lazy(async () => ({ default: (await import('./retry-menu.tsx')).RetryMenu }));

type Props = { readonly turn: TurnState; readonly prompt: string };

/** Asks again in a copy of the conversation; if there are several agents or models, any of them. */
export function RetryButton({ turn, prompt }: Props): ReactNode {
  const { retry } = usePage();
  const bundles = useBundles();
  const agents = agentsOf(bundles);
  const models = modelChoicesOf(bundles, turn);
  const [isNeeded, setNeeded] = useState(false);
  const button = { icon: retryIcon, label: 'Retry in a copy' };
  if (agents.length < 2 && models.length === 0) {
    return <IconButton {...button} onClick={() => retry(turn.id, prompt)} />;
  }
  if (!isNeeded) {
    return <IconButton {...button} aria-haspopup="menu" onClick={() => setNeeded(true)} />;
  }
  return (
    <Suspense fallback={<IconButton {...button} disabled />}>
      <RetryMenu
        button={button}
        agents={agents}
        models={models}
        current={turn}
        choose={(other) => retry(turn.id, prompt, other)}
      />
    </Suspense>
  );
}
