import { type ActionRules, actionsLimit, type MultiAction } from '../../channels/reply/rules.ts';
import type { AgentSettings, Budgets, Policies } from '../../sdk/contract/agent-settings.ts';

type Settings = {
  readonly policies: Pick<Policies, 'multiAction'>;
  readonly budgets: Pick<Budgets, 'actionsPerRound'>;
};
/** The protocol of one round. */
type RoundProtocol = Exclude<AgentSettings['protocol'], 'auto'>;

/** Models with native tools make several calls in a reply as a matter of course; for others one action is the default. */
export function multiActionOf(
  { policies }: Pick<Settings, 'policies'>,
  protocol: RoundProtocol,
): MultiAction {
  return policies.multiAction ?? (protocol === 'native-tools' ? 'bundle' : 'off');
}

/** How many actions of one reply may run. */
export function actionsMaxOf(settings: Settings, protocol: RoundProtocol): number {
  const multiAction = multiActionOf(settings, protocol);
  const { actionsPerRound: actionsMax } = settings.budgets;
  return actionsLimit({ multiAction, ...(actionsMax === undefined ? {} : { actionsMax }) });
}

/** Whether an answer is judged before anybody sees it. */
export function areAnswersHeld({
  hooks,
  output,
  policies,
}: Pick<AgentSettings, 'hooks' | 'output' | 'policies'>): boolean {
  return hooks?.completion !== undefined || output !== undefined || policies.verify === 'once';
}

/** The rules by which replies of this agent are read, live and afterwards. */
export function actionRules(agent: AgentSettings, protocol: RoundProtocol): ActionRules {
  const tools = new Map(agent.tools.map((tool) => [tool.spec.id, tool.spec]));
  return {
    multiAction: multiActionOf(agent, protocol),
    actionsMax: actionsMaxOf(agent, protocol),
    declines: protocol === 'native-tools',
    answersHeld: areAnswersHeld(agent),
    traitsOf: (tool) => tools.get(tool),
  };
}
