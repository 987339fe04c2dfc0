/// <reference lib="dom" />
import * as Menu from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { IconButton } from '../../shared/icon-button.tsx';
import type { AgentId } from '../state/page-context.ts';
import type { Agent } from './use-bundles.ts';

type Props = {
  readonly button: { readonly icon: string; readonly label: string };
  readonly agents: readonly Agent[];
  /** The agent of the turn comes first. */
  readonly current: AgentId;
  choose(agent: AgentId): void;
};

/** Which agent answers again. It opens at once, because it is loaded by a click on its button. */
export function RetryMenu({ button, agents, current, choose }: Props): ReactNode {
  const isSame = ({ bundle, agent }: AgentId) =>
    bundle === current.bundle && agent === current.agent;
  const sorted = agents.toSorted((one, other) => Number(isSame(other)) - Number(isSame(one)));
  return (
    <Menu.Root defaultOpen modal={false}>
      <Menu.Trigger asChild>
        <IconButton {...button} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" sideOffset={4}>
          <Menu.Label className="menu-label">Ask again, in a copy</Menu.Label>
          {sorted.map(({ bundle, agent, label }) => (
            <Menu.Item key={`${bundle}/${agent}`} onSelect={() => choose({ bundle, agent })}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
