/// <reference lib="dom" />
import type { ReactNode } from 'react';
import { type AgentId, usePage } from '../state/page-context.ts';
import { agentsOf, useBundles } from './use-bundles.ts';

type Props = {
  readonly value: AgentId | undefined;
  choose(agent: AgentId): void;
};

/** Which agent a new conversation begins with. Shown only if there is a choice. */
export function AgentChoice({ value, choose }: Props): ReactNode {
  const agents = agentsOf(useBundles());
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

/** What the agent of a new conversation suggests to ask it. */
export function FirstMessages({ agent }: { agent: AgentId | undefined }): ReactNode {
  const { ask } = usePage();
  const bundles = useBundles();
  const bundle = bundles.find(({ id, default: isDefault }) =>
    agent ? id === agent.bundle : isDefault,
  );
  const messages = bundle?.firstMessages?.[agent?.agent ?? bundle.agents[0] ?? ''] ?? [];
  if (messages.length === 0) return null;
  return (
    <ul id="first-messages" aria-label="Suggestions">
      {messages.map((text) => (
        <li key={text}>
          <button type="button" dir="auto" onClick={() => ask(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
