import type { AgentChoice } from '../../engine/ports/engine.ts';
import type { BundleDirectory } from '../../gateway/ports/bundle-directory.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { refOf } from '../../sdk/define/model.ts';
import { isSearchTool } from '../../tools/web/web-scope.ts';

export type AgentDirectory = BundleDirectory & {
  /** The agent of a turn; undefined: bundle or agent not found. */
  choose(choice: AgentChoice): AgentSettings | undefined;
  /** Like `choose`, and starts the process that runs the bundle's tools. */
  engage(choice: AgentChoice): AgentSettings | undefined;
};

/** The loaded bundles by id. The default is the bundle named `first`, else the first in the list. */
export function createAgentDirectory(
  bundles: readonly [RuntimeBundle, ...RuntimeBundle[]],
  { first }: { first: string | undefined },
): AgentDirectory {
  const byId = new Map(bundles.map((bundle) => [bundle.id, bundle]));
  const defaultBundle = byId.get(first ?? '') ?? bundles[0];
  const bundleOf = ({ bundle }: AgentChoice) =>
    bundle === undefined ? defaultBundle : byId.get(bundle);
  const choose = (choice: AgentChoice) => {
    const { agent } = choice;
    const chosen = bundleOf(choice);
    return agent === undefined ? chosen?.agents[0] : chosen?.agents.find(({ id }) => id === agent);
  };
  /** Includes the agents that make the calls of MCP clients, which no message can address. */
  const workerOf = (choice: AgentChoice) =>
    choose(choice) ??
    bundleOf(choice)?.endpoints.find(({ caller }) => caller.id === choice.agent)?.caller;
  return {
    choose: workerOf,
    engage: (choice) => {
      bundleOf(choice)?.warm();
      return workerOf(choice);
    },
    default: () => ({ bundle: defaultBundle.id, agent: defaultBundle.agents[0].id }),
    agent: (bundle, agent) => choose({ bundle, agent })?.id,
    allows: (bundle, agent) => {
      const chosen = choose({ bundle, agent });
      if (!chosen) return undefined;
      const ready = chosen.tools.filter(({ spec }) => spec.unavailable === undefined);
      return {
        exec: ready.some(({ spec }) => spec.kind === 'exec'),
        webSearch: ready.some(({ spec }) => isSearchTool(spec.id)),
        models: choicesOf(chosen),
      };
    },
    settings: (bundle) => byId.get(bundle)?.agents ?? [],
    kind: (bundle, kind) => byId.get(bundle)?.kinds.find((each) => each.kind === kind),
    bundles: () =>
      bundles.map(({ agents, ...bundle }) => ({
        ...bundle,
        agents: agents.map(({ id }) => id),
        firstMessages: Object.fromEntries(
          agents.map(({ id, firstMessages = [] }) => [id, firstMessages]),
        ),
        modelChoices: Object.fromEntries(agents.map((agent) => [agent.id, choicesOf(agent)])),
      })),
    widgets: (bundle) => byId.get(bundle)?.widgets ?? [],
    operations: (bundle) => byId.get(bundle)?.operations ?? [],
    userProps: (bundle) => byId.get(bundle)?.userProps,
    userSecrets: (bundle) => byId.get(bundle)?.userSecrets,
    props: (bundle) => byId.get(bundle)?.props,
    admitEvent: (bundle) => byId.get(bundle)?.admitEvent,
    admitting: () => bundles.filter(({ admitEvent }) => admitEvent).map(({ id }) => id),
    operation: (bundle, id) => byId.get(bundle)?.operations.find((each) => each.id === id),
    endpoint: (bundle, id) => byId.get(bundle)?.endpoints.find((each) => each.id === id),
  };
}

function choicesOf({ modelChoices = [] }: AgentSettings): readonly string[] {
  return [...new Set(modelChoices.map(refOf))];
}
