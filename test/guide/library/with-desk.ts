import { defineAgent, defineBundle, defineTool, delegate, starters } from 'timeloom/sdk';
import { z } from 'zod';

const research = defineTool({
  id: 'library.research',
  description: 'Has a researcher find out what books say about something. Takes minutes.',
  input: z.object({ question: z.string() }),
  run: delegate({ agent: 'researcher', rounds: 6 }),
});

const archive = defineTool({
  id: 'archive.search',
  description: 'Finds pages about something.',
  input: z.object({ words: z.string() }),
  effects: 'none',
  async run({ words }, ctx) {
    const found = { title: 'A history of tea', url: 'https://archive.test/tea' };
    await ctx.sources.add([found]);
    return { words, pages: [found.title] };
  },
});

const clerk = defineAgent({
  ...starters.balanced,
  id: 'clerk',
  instruction: 'You answer readers. What takes research, you delegate.',
  tools: [research],
});

const researcher = defineAgent({
  ...starters.balanced,
  id: 'researcher',
  instruction: 'You find out what you are asked, and cite what you found it in.',
  tools: [archive],
  models: { decision: 'anthropic:claude-haiku-4-5' },
});

export const bundle = defineBundle({
  id: 'library-desk',
  version: '1.0.0',
  agents: [clerk, researcher],
});
