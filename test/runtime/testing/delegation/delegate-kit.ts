import { z } from 'zod';
import {
  type AgentOptions,
  defineAgent,
  defineBundle,
  defineHook,
  defineTool,
  delegate,
} from '../../../../runtime/sdk/index.ts';
import type { TestRuntime } from '../../../../runtime/testing/index.ts';

type Block = { readonly type: string; readonly data?: unknown };
type Facts = Readonly<Record<string, unknown>>;

/** A tool that delegates research to another agent. */
export const research = (agent = 'researcher', rounds = 3) =>
  defineTool({
    id: 'desk.research',
    description: 'Finds something out.',
    input: z.object({ question: z.string() }),
    run: delegate({ agent, rounds }),
  });

const search = defineTool({
  id: 'web.search',
  description: 'Searches.',
  input: z.object({ words: z.string() }),
  effects: 'none',
  run: async ({ words }, ctx) => {
    await ctx.sources.add([{ url: `https://found.test/${words}`, title: `About ${words}` }]);
    return { found: words };
  },
});

type Desk = {
  readonly main?: Partial<AgentOptions>;
  readonly tool?: ReturnType<typeof research>;
  readonly onBlock?: (block: Block) => void;
};

/** A delegating agent, and the agent that it delegates to. */
export function desk({ main = {}, tool = research(), onBlock }: Desk = {}) {
  const watch = onBlock && defineHook({ id: 'watch', observe: { block: onBlock } });
  return defineBundle({
    ...{ id: 'desk', version: '1.0.0' },
    agents: [
      defineAgent({ ...main, id: 'main', instruction: 'Ask.', tools: [tool, search] }),
      defineAgent({ id: 'researcher', instruction: 'Find out.', tools: [search, tool] }),
    ],
    ...(watch ? { hooks: [watch] } : {}),
  });
}

export const ask = {
  call: { tool: 'desk.research', input: { question: 'How high is Ortler?' } },
};

/** The data of all blocks of a type, in order. */
export function said(blocks: readonly Block[], type: string): readonly Facts[] {
  return blocks.filter((block) => block.type === type).map(({ data }) => Object(data));
}

/** The blocks of the conversation of the delegated call among these blocks. */
export function childBlocks(runtime: TestRuntime, blocks: readonly Block[]) {
  const [called] = said(blocks, 'agent.call');
  return runtime.connect().conversation(String(called?.['conversation'])).blocks();
}
