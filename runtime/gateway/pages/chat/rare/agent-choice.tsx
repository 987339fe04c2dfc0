/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import type { BundleFacts } from '../../../../client/index.ts';
import { useClient } from '../state/client-context.ts';
import type { AgentId } from '../state/page-context.ts';

type Props = {
  readonly value: AgentId | undefined;
  choose(agent: AgentId): void;
};

/** Which agent a new conversation begins with. Shown only if there is a choice. */
export function AgentChoice({ value, choose }: Props): ReactNode {
  const client = useClient();
  const [bundles, setBundles] = useState<readonly BundleFacts[]>([]);
  useEffect(() => {
    let isShown = true;
    client.bundles().then(
      (found) => {
        if (isShown) setBundles(found);
      },
      // Without the list, messages go to the default agent.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [client]);
  const agents = bundles
    .toSorted((one, other) => Number(other.default) - Number(one.default))
    .flatMap(({ id, title, agents: own }) =>
      own.map((agent) => ({ bundle: id, agent, label: labelOf(title || id, agent, own.length) })),
    );
  if (agents.length < 2) return null;
  const at = agents.findIndex(
    ({ bundle, agent }) => bundle === value?.bundle && agent === value.agent,
  );
  return (
    <select
      className="agent-choice"
      aria-label="Agent"
      value={Math.max(0, at)}
      onChange={(event) => {
        const chosen = agents[Number(event.target.value)];
        if (chosen) choose({ bundle: chosen.bundle, agent: chosen.agent });
      }}
    >
      {agents.map(({ label, bundle, agent }, n) => (
        <option key={`${bundle}/${agent}`} value={n}>
          {label}
        </option>
      ))}
    </select>
  );
}

function labelOf(bundle: string, agent: string, agents: number): string {
  return agents === 1 ? bundle : `${bundle} · ${agent}`;
}
