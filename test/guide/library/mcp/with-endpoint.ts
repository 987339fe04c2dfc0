import { defineAgent, defineBundle, defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const search = defineTool({
  id: 'library.search',
  description: 'Finds books by title.',
  input: z.object({ title: z.string() }),
  effects: 'none',
  run: ({ title }) => [`${title}, second edition`],
});
const agent = defineAgent({ id: 'librarian', instruction: 'Help readers.', tools: [search] });

export const bundle = defineBundle({
  id: 'library-with-endpoint',
  version: '1.0.0',
  agents: [agent],
  mcp: {
    expose: [{ id: 'desk', access: { roles: ['editor'] }, tools: [search], agents: [agent] }],
  },
});
