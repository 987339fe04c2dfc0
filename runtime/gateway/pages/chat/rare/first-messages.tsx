import type { ReactNode } from 'react';
import { type AgentId, usePage } from '../state/page-context.ts';
import { useBundles } from './use-bundles.ts';

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
