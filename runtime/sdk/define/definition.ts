import { Fault } from '../../base/fault.ts';
import type { AgentDefinition } from './agent.ts';
import type { BundleDefinition } from './bundle.ts';
import type { HookDefinition } from './hook.ts';
import type { KnowledgeDefinition } from './knowledge.ts';
import type { PropsDefinition, ResourceDefinition, SecretDefinition } from './settings.ts';
import type { SkillDefinition } from './skill.ts';
import type {
  EventKindDefinition,
  JobDefinition,
  OperationDefinition,
  WidgetDefinition,
} from './surfaces.ts';
import type { ToolDefinition } from './tool.ts';

type Definitions = {
  agent: AgentDefinition;
  bundle: BundleDefinition;
  event: EventKindDefinition;
  hook: HookDefinition;
  knowledge: KnowledgeDefinition;
  job: JobDefinition;
  operation: OperationDefinition;
  props: PropsDefinition;
  resource: ResourceDefinition;
  secret: SecretDefinition;
  skill: SkillDefinition;
  tool: ToolDefinition;
  widget: WidgetDefinition;
};

/** Checks the tag, not the identity: a bundle may carry its own copy of the `define*` functions. */
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

/** Fault `BUNDLE_INVALID` if the value is not a bundle definition. */
export function bundleOf(value: unknown): BundleDefinition {
  if (isDefinition('bundle', value)) return value;
  throw new Fault('BUNDLE_INVALID', { because: '`bundle` was not made by defineBundle' });
}
