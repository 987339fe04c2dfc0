import { z } from 'zod';
import { createTool } from '../definition/create-tool.ts';
import type { CallContext, Tool, ToolOutcome } from '../ports/tool.ts';
import type { Page, WebPages } from '../ports/web.ts';
import { cutText } from '../text/cut-text.ts';
import { fetchesPerTurnMax, fetchTimeoutMs, pageCharsBySize, urlCharsMax } from './limits.ts';

export function createFetchTool(pages: WebPages): Tool {
  return createTool({
    id: 'web_tools.fetch',
    kind: 'platform',
    traits: ['exploration'],
    timeoutMs: fetchTimeoutMs,
    callsPerTurn: fetchesPerTurnMax,
    resultAs: 'text',
    resultLimit: pageCharsBySize.large + 1_000,
    description:
      'Reads a public web page as Markdown and makes it a source that you can cite. A PDF or image becomes a file for react.read.',
    input: z.object({
      url: z
        .url({ protocol: /^https?$/, error: 'an address with http:// or https://' })
        .max(urlCharsMax),
      size: z
        .enum(['small', 'medium', 'large'])
        .default('medium')
        .describe('4,000, 12,000 or 32,000 characters'),
      from: z.int().min(0).default(0).describe('the character to begin with, to read on'),
    }),
    run: async ({ url, size, from }, context) => {
      const page = await pages.read(url, { signal: context.signal });
      if (page.kind === 'file') return await keepFile(page, context);
      const [source] = await context.services.addSources([
        { url: page.url, title: page.title, text: page.text },
      ]);
      const text = page.text.slice(from, from + pageCharsBySize[size]);
      const rest = page.text.length - from - text.length;
      const facts = {
        ...(source ? { sid: source.sid } : {}),
        url: page.url,
        title: page.title,
        ...(page.published === undefined ? {} : { published: page.published }),
        chars: page.text.length,
        ...(rest > 0 ? { next: from + text.length } : {}),
      };
      return {
        result: { ok: true, ret: { ...facts, text } },
        preview: `${JSON.stringify(facts)}\n\n${text}`,
      };
    },
  });
}

async function keepFile(
  { url, title, name, mime, bytes }: Page & { kind: 'file' },
  { services, call }: CallContext,
): Promise<ToolOutcome> {
  const [source] = await services.addSources([{ url, title }]);
  const filepath = `files/web/${call}/${cutText(name, 100)}`;
  const { path } = await services.writeFile({ filepath, bytes, mime, visibility: 'internal' });
  const ret = { ...(source ? { sid: source.sid } : {}), url, title, mime, path };
  return { result: { ok: true, ret } };
}
