import { defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const Paper = z.object({
  title: z.string(),
  url: z.url(),
  year: z.int(),
  finding: z.string(),
});

export const search = defineTool({
  id: 'papers.search',
  description:
    'Finds papers whose title or finding contains one of the words, each with a source to cite.',
  input: z.object({ words: z.array(z.string().min(2)).min(1).max(5) }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  async run({ words }, ctx) {
    const papers = await ctx.asset('./papers.json').json(z.array(Paper));
    const wanted = words.map((word) => word.toLowerCase());
    const found = papers.filter(({ title, finding }) =>
      wanted.some((word) => `${title} ${finding}`.toLowerCase().includes(word)),
    );
    await ctx.sources.add(found.map(({ url, title }) => ({ url, title })));
    return found;
  },
});
