import { isJsonObject, type Json } from '../../base/json.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { ToolSpec } from '../../tools/ports/tool.ts';
import type { VisibleAgent } from './visible-agent.ts';

/**
 * An exec tool as protocols without a code channel show it: the program is a parameter. It comes last, so that its
 * contract is known while it streams. Any other tool stays as it is.
 */
export function withProgram(spec: ToolSpec): ToolSpec {
  if (spec.kind !== 'exec') return spec;
  const { parameters, language = 'python' } = spec;
  const required: readonly Json[] = Array.isArray(parameters['required'])
    ? parameters['required']
    : [];
  const code = { type: 'string', description: `The whole ${language} program, without fences.` };
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
  return {
    ...spec,
    parameters: {
      ...parameters,
      properties: { ...properties, code },
      required: [...required, 'code'],
    },
  };
}

/** Whether the agent has exec tools, also while none of them is visible, so that the text stays the same. */
export function hasPrograms(agent: AgentSettings & Partial<VisibleAgent>): boolean {
  const { tools } = agent.whole ?? agent;
  return agent.exec.languages.length > 0 && tools.some(({ spec }) => spec.kind === 'exec');
}
