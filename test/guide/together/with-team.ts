import { defineAgent, defineBundle, defineTool, starters } from 'timeloom/sdk';
import { z } from 'zod';

const archive = defineTool({
  id: 'archive.count',
  description: 'Counts the books about something.',
  input: z.object({ topic: z.string() }),
  effects: 'none',
  run: async ({ topic }) => ({ topic, books: topic.length }),
});

const head = defineAgent({
  ...starters.balanced,
  id: 'head',
  instruction: 'You answer readers. What has independent parts, you plan and hand out.',
  delegation: { plans: true, sideBySide: 4, stepMs: 300_000 },
});

const counter = defineAgent({
  ...starters.balanced,
  id: 'counter',
  instruction: 'You count books and say the number.',
  tools: [archive],
  models: { decision: 'anthropic:claude-sonnet-5-5', small: 'anthropic:claude-haiku-4-5' },
});

export const bundle = defineBundle({
  id: 'library-team',
  version: '1.0.0',
  agents: [head, counter],
});
