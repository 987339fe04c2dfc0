/// <reference lib="dom" />
import * as Menu from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { IconButton } from '../../shared/icon-button.tsx';
import type { AgentId, Other } from '../state/page-context.ts';
import type { Agent } from './use-bundles.ts';

type Props = {
  readonly button: { readonly icon: string; readonly label: string };
  readonly agents: readonly Agent[];
  /** Models that users may choose for the agent of the turn. */
  readonly models: readonly string[];
  /** The agent of the turn comes first. */
  readonly current: AgentId;
  choose(other: Other): void;
};

/** Which agent or model answers again. It opens at once, because it is loaded by a click on its button. */
export function RetryMenu({ button, agents, models, current, choose }: Props): ReactNode {
  const isSame = ({ bundle, agent }: AgentId) =>
    bundle === current.bundle && agent === current.agent;
  const sorted = agents.toSorted((one, other) => Number(isSame(other)) - Number(isSame(one)));
  return (
    <Menu.Root defaultOpen modal={false}>
      <Menu.Trigger asChild>
        <IconButton {...button} />
      </Menu.Trigger>
      <Menu.Portal container={document.querySelector('main')}>
        <Menu.Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
          <Menu.Group aria-label="Ask again, in a copy">
            <Menu.Label className="menu-label">Ask again, in a copy</Menu.Label>
            {sorted.map(({ bundle, agent, label }) => (
              <Menu.Item
                key={`${bundle}/${agent}`}
                onSelect={() => choose({ agent: { bundle, agent } })}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Group>
          {models.length > 0 && <Models models={models} choose={choose} />}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Models({ models, choose }: Pick<Props, 'models' | 'choose'>): ReactNode {
  return (
    <Menu.Group aria-label="With another model">
      <Menu.Separator />
      <Menu.Label className="menu-label">With another model</Menu.Label>
      {models.map((model) => {
        const [provider = '', ...name] = model.split(':');
        return (
          <Menu.Item key={model} className="model" title={model} onSelect={() => choose({ model })}>
            <span>{name.join(':')}</span>
            <span>{provider}</span>
          </Menu.Item>
        );
      })}
    </Menu.Group>
  );
}
