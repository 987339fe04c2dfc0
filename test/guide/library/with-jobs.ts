import { defineAgent, defineBundle, defineJob, defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const remind = defineJob({
  id: 'remind',
  input: z.object({ reader: z.string(), title: z.string() }),
  attempts: 5,
  async run({ reader, title }, ctx) {
    const response = await ctx.fetch('https://mail.test/send', {
      method: 'POST',
      body: JSON.stringify({ to: reader, text: `“${title}” is due.` }),
    });
    if (!response.ok) throw new Error(`the mail server answers ${response.status}`);
  },
});

const lend = defineTool({
  id: 'library.lend',
  description: 'Lends a book for four weeks.',
  input: z.object({ title: z.string() }),
  async run({ title }, ctx) {
    const { user: reader } = ctx.ids;
    const wish = { key: `${reader} ${title}`, delayMs: 28 * 86_400_000 };
    await ctx.jobs.enqueue(remind, { reader, title }, wish);
    return { lent: title };
  },
});

const closing = defineJob({
  id: 'closing',
  schedule: '0 20 * * 1-5',
  timezone: 'Europe/Berlin',
  run: (_, ctx) => ctx.storage.bundle.set('closed', new Date().toISOString()),
});

const librarian = defineAgent({
  id: 'librarian',
  instruction: { file: './librarian.md' },
  tools: [lend],
});

export const bundle = defineBundle({
  id: 'library-with-jobs',
  version: '1.0.0',
  agents: [librarian],
  jobs: [remind, closing],
});
