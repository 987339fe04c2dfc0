import { z } from 'zod';
import {
  type AgentOptions,
  defineAgent,
  defineBundle,
  defineHook,
  defineTool,
} from '../../../../runtime/sdk/index.ts';
import type { Reply } from '../../../../runtime/testing/index.ts';

type Block = { readonly type: string; readonly data?: unknown; readonly text?: string };
type Facts = Readonly<Record<string, unknown>>;

export type Step = {
  readonly id: string;
  readonly task: string;
  readonly agent?: string;
  readonly needs?: readonly string[];
  readonly hint?: string;
};

const JsonObject = z.record(z.string(), z.json());

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

const pay = defineTool({
  id: 'shop.pay',
  description: 'Pays.',
  input: z.object({ cents: z.int() }),
  approval: 'always',
  run: async ({ cents }) => ({ paid: cents }),
});

type Team = {
  readonly main?: Partial<AgentOptions>;
  readonly worker?: Partial<AgentOptions>;
  readonly onBlock?: (block: Block) => void;
};

/** An agent that may run plans, and an agent that works on steps. */
export function team({ main = {}, worker = {}, onBlock }: Team = {}) {
  const watch = onBlock && defineHook({ id: 'watch', observe: { block: onBlock } });
  return defineBundle({
    ...{ id: 'team', version: '1.0.0' },
    agents: [
      defineAgent({
        ...{ delegation: { plans: true, verify: false } },
        ...main,
        ...{ id: 'main', instruction: 'Lead the work.', tools: [search] },
      }),
      defineAgent({
        ...worker,
        ...{ id: 'worker', instruction: 'Do one step.', tools: [search, pay] },
      }),
    ],
    ...(watch ? { hooks: [watch] } : {}),
  });
}

export function planCall(steps: readonly Step[], goal?: string): Reply {
  const input = {
    steps: steps.map((step) => ({ ...step })),
    ...(goal === undefined ? {} : { goal }),
  };
  return {
    call: { tool: 'react.run_plan', input: JsonObject.parse(JSON.parse(JSON.stringify(input))) },
  };
}

/** The answer of the agent whose task has these words. */
export function answerTo(when: string, answer: string): Reply {
  return { when, answer, beside: true };
}

/** The data of all blocks of a type, in order. */
export function dataOf(blocks: readonly Block[], type: string): readonly Facts[] {
  return blocks.filter((block) => block.type === type).map(({ data }) => Object(data));
}

/** The result of the only call. */
export function resultOf(blocks: readonly Block[]): Facts {
  return Object(dataOf(blocks, 'react.tool.result').at(-1));
}
