import { ask, defineAgent, defineBundle, defineHook, defineTool, starters } from 'timeloom/sdk';
import { z } from 'zod';

const lookUp = defineTool({
  id: 'shop.look_up',
  description: 'Looks up the price of a product.',
  traits: ['exploration'],
  input: z.object({ product: z.string() }),
  effects: 'none',
  run: async ({ product }) => ({ product, eur: 4 }),
});

const order = defineTool({
  id: 'shop.order',
  description: 'Orders a product.',
  traits: ['exploitation'],
  input: z.object({ product: z.string() }),
  effects: 'keyed',
  approval: ({ product }) => ask(`Order ${product}?`),
  run: async ({ product }) => ({ ordered: product }),
});

const classify = defineTool({
  id: 'shop.classify',
  description: 'Says what kind of message a text is.',
  traits: ['exploration'],
  input: z.object({ text: z.string() }),
  effects: 'none',
  run: ({ text }, ctx) =>
    ctx.generate({
      role: 'small',
      prompt: `Is this an order or a question?\n${text}`,
      output: z.object({ kind: z.enum(['order', 'question']) }),
    }),
});

const instruction = 'You keep a shop.';

const kdcube = defineAgent({
  ...starters.balanced,
  id: 'kdcube',
  instruction,
  protocol: 'channels', // ReactDecisionOutV2 and the other channels
  policies: { multiAction: 'bundle' }, // safe_fanout: several actions in one reply
  budgets: { rounds: 15 }, // react.max_iterations
  tools: [lookUp],
});

const fim = defineAgent({
  ...starters.fim, // 50 rounds, then one more call writes the answer
  id: 'fim',
  instruction,
  protocol: 'auto', // native calls if the model has them, else JSON
  delegation: { plans: true, stepMs: 600_000 }, // DAG mode
  tools: [lookUp],
});

const observer = defineHook({
  id: 'observer',
  observe: { block: ({ type, seq }, ctx) => ctx.log.info('step', { type, seq }) },
});

const node = defineAgent({
  ...starters.graph, // 12 rounds; a failed tool and a malformed call fail the turn
  id: 'node',
  instruction,
  hooks: [observer],
  tools: [lookUp],
});

const engine = defineAgent({
  ...starters.engine, // 256 rounds, one call per reply
  id: 'engine',
  instruction,
  tools: [lookUp],
});

const scope = defineAgent({
  ...starters.agentscope, // max_iters=10, then one summary
  id: 'scope',
  instruction,
  tools: [lookUp],
  groups: { ordering: { description: 'Orders products.', tools: [order], active: false } },
  memory: { mode: 'both', scopes: ['user'] }, // record_to_memory, retrieve_from_memory
});

const clerk = defineAgent({
  ...starters.balanced,
  id: 'clerk',
  instruction,
  tools: [order], // its approval is the interrupt
});

const sorter = defineAgent({
  ...starters.balanced,
  id: 'sorter',
  instruction,
  tools: [classify], // with a structured output inside
  budgets: { rounds: 5 }, // stopWhen, maxSteps
});

export const bundle = defineBundle({
  id: 'shop',
  version: '1.0.0',
  agents: [kdcube, fim, node, engine, scope, clerk, sorter],
});
