import { deferred, defineAgent, defineBundle, defineJob, defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const scan = defineJob({
  id: 'scan',
  input: z.object({ task: z.string(), conversation: z.string(), title: z.string() }),
  async run({ task, conversation, title }, ctx) {
    await ctx.tasks.finish({ conversation, task, ret: { title, pages: 312 } });
  },
});

const order = defineTool({
  id: 'library.scan',
  description: 'Scans a book. It takes hours.',
  input: z.object({ title: z.string() }),
  defers: true,
  async run({ title }, ctx) {
    const { conversation } = ctx.ids;
    await ctx.jobs.enqueue(scan, { task: ctx.key, conversation, title });
    return deferred({ title: `the scan of ${title}` });
  },
});

const check = defineTool({
  id: 'library.check',
  description: 'Checks whether an answer names its book.',
  input: z.object({ answer: z.string(), title: z.string() }),
  async run({ answer, title }, ctx) {
    const fits = answer.includes(title);
    await ctx.feedback({ name: 'names-its-book', reaction: fits ? 'ok' : 'not_ok' });
    return { fits };
  },
});

const librarian = defineAgent({
  id: 'librarian',
  instruction: 'You order scans of books.',
  tools: [order, check],
});

export const bundle = defineBundle({
  id: 'library-with-scans',
  version: '1.0.0',
  agents: [librarian],
  jobs: [scan],
});
