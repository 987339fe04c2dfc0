import { defineAgent, defineBundle, defineSkill, defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const search = defineTool({
  id: 'library.search',
  description: 'Finds books by title.',
  input: z.object({ title: z.string() }),
  effects: 'none',
  run: ({ title }) => [`${title}, second edition`],
});
const agent = defineAgent({ id: 'librarian', instruction: 'Help readers.', tools: [search] });

const invitation = defineSkill({
  id: 'invitation',
  name: 'invitation',
  description: 'Invites readers to an evening with a book.',
  text: 'Write an invitation to an evening with {{title}}, in {{language}}.',
  arguments: [
    { name: 'title', description: 'The book.', required: true },
    { name: 'language', required: true, values: ['English', 'Greek'] },
  ],
});

export const bundle = defineBundle({
  id: 'library-with-endpoint',
  version: '1.0.0',
  agents: [agent],
  skills: [invitation],
  mcp: {
    expose: [{ id: 'desk', access: { roles: ['editor'] }, tools: [search], agents: [agent] }],
  },
});
