import { isJsonObject, type Json } from '../../base/json.ts';
import type { ToolSpec } from '../../tools/ports/tool.ts';

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
