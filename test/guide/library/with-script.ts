import { defineAgent, defineBundle, defineTool, sandbox, starters } from 'timeloom/sdk';
import { z } from 'zod';

const due = defineTool({
  id: 'library.due',
  description: 'When a book is due, and after each renewal.',
  input: z.object({ lent: z.iso.date(), renewals: z.int().max(10).default(0) }),
  output: z.object({ due: z.array(z.string()) }),
  effects: 'none',
  concurrency: 'safe',
  run: sandbox({ file: './scripts/due.py' }),
});

const agent = defineAgent({
  ...starters.balanced,
  id: 'clerk',
  instruction: 'You know when books are due.',
  tools: [due, 'exec_tools.*'],
});

export const bundle = defineBundle({ id: 'library-clerk', version: '1.0.0', agents: [agent] });
