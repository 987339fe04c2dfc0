import type { AgentDefinition } from './agent.ts';
import type { BundleDefinition } from './bundle.ts';
import type { PropsDefinition, ResourceDefinition, SecretDefinition } from './settings.ts';
import type { SkillDefinition } from './skill.ts';
import type { EventKindDefinition, WidgetDefinition } from './surfaces.ts';
import type { ToolDefinition } from './tool.ts';

type Definitions = {
  agent: AgentDefinition;
  bundle: BundleDefinition;
  event: EventKindDefinition;
  props: PropsDefinition;
  resource: ResourceDefinition;
  secret: SecretDefinition;
  skill: SkillDefinition;
  tool: ToolDefinition;
  widget: WidgetDefinition;
};

/** By its tag, not by identity: a bundle may carry its own copy of the `define*` functions. */
export function isDefinition<Kind extends keyof Definitions>(
  kind: Kind,
  value: unknown,
): value is Definitions[Kind] {
  return (
    typeof value === 'object' &&
    value !== null &&
    'definition' in value &&
    value.definition === kind
  );
}
