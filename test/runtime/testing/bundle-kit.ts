import { z } from 'zod';
import {
  type AgentOptions,
  defineAgent,
  defineBundle,
  defineTool,
  type ToolContext,
} from '../../../runtime/sdk/index.ts';

/** One agent with one tool without parameters. */
export function oneTool(
  id: `${string}.${string}`,
  run: (ctx: ToolContext) => unknown,
  more: Partial<AgentOptions> = {},
) {
  const description = 'Does what it does.';
  const tool = defineTool({
    ...{ id, description, input: z.object({}), effects: 'none' },
    run: (_, ctx) => run(ctx),
  });
  const agent = defineAgent({ ...more, id: 'main', instruction: 'x', tools: [tool] });
  return defineBundle({ id: 'acme', version: '1', agents: [agent] });
}
