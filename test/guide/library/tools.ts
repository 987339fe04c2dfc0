import { defineTool, refuse } from 'timeloom/sdk';
import { z } from 'zod';
import { catalogKey, settings } from './settings.ts';

const Book = z.object({ title: z.string(), author: z.string(), url: z.url() });

export const search = defineTool({
  id: 'library.search',
  description: 'Books whose title or author contains the words.',
  input: z.object({ words: z.string().min(1) }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  timeoutMs: 10_000,
  async *run({ words }, ctx) {
    yield `searching for ${words}`;
    const { catalog, language } = ctx.props(settings);
    const url = `${catalog}/books?language=${language}&q=${encodeURIComponent(words)}`;
    const authorization = `Bearer ${await ctx.secrets.get(catalogKey)}`;
    const response = await ctx.fetch(url, { headers: { authorization } });
    if (!response.ok) {
      return refuse('catalog_down', `The catalogue answers ${response.status}.`, {
        retryable: true,
      });
    }
    const books = z.array(Book).parse(await response.json());
    await ctx.sources.add(books.map(({ url, title }) => ({ url, title })));
    return books;
  },
});

const Loans = z.array(z.string());

export const lend = defineTool({
  id: 'library.lend',
  description: 'Lends one book to the reader.',
  input: z.object({ title: z.string() }),
  output: z.object({ loans: Loans }),
  traits: ['exploitation'],
  effects: 'keyed',
  async run({ title }, ctx) {
    const loans = (await ctx.storage.user.get('loans', Loans)) ?? [];
    const { loansMax } = ctx.props(settings);
    if (loans.length >= loansMax) {
      return refuse('too_many_loans', `A reader may have ${loansMax} books at a time.`);
    }
    const now = [...new Set([...loans, title])];
    await ctx.storage.user.set('loans', now);
    await using page = ctx.canvas('shelf.json', { mime: 'application/vnd.library.shelf+json' });
    page.write(JSON.stringify(now));
    return { loans: now };
  },
});
