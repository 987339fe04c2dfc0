import type { z } from 'zod';
import { resultCharsDefault, toolTimeoutDefaultMs } from '../limits.ts';
import type { CallContext, Tool, ToolOutcome, ToolSpec } from '../ports/tool.ts';
import { parseInput, toParameters } from './schema.ts';

type Definition<Schema extends z.ZodType> = Pick<ToolSpec, 'id' | 'description' | 'kind'> &
  Partial<Omit<ToolSpec, 'parameters'>> & {
    readonly input: Schema;
    run(input: z.output<Schema>, context: CallContext): Promise<ToolOutcome>;
  };

/** A tool from a schema. Defaults: no traits, effects `none`, concurrency `safe`, 60 s, 12,000 characters shown. */
export function createTool<Schema extends z.ZodType>(definition: Definition<Schema>): Tool {
  const { input: schema, run, ...spec } = definition;
  const parameters = toParameters(schema);
  return {
    spec: {
      traits: [],
      effects: 'none',
      concurrency: 'safe',
      timeoutMs: toolTimeoutDefaultMs,
      resultLimit: resultCharsDefault,
      ...spec,
      parameters,
    },
    parse: (input) => parseInput(schema, input, parameters),
    run: async (input, context) => run(schema.parse(input), context),
  };
}
