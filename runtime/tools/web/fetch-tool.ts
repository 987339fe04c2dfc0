import { z } from 'zod';
import { factsOf } from '../../timeline/source-facts.ts';
import { createTool } from '../definition/create-tool.ts';
import type { CallContext, Tool } from '../ports/tool.ts';
import type { Page, WebPages } from '../ports/web.ts';
import { cutText } from '../text/cut-text.ts';
import { fetchesPerTurnMax, fetchTimeoutMs, pageCharsBySize, urlCharsMax } from './limits.ts';
import { assertWithin } from './web-scope.ts';

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
      'Reads a public web page or PDF as text and makes it a source that you can cite. A PDF or image is also a file for react.read.',
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
      const { size: asked = size, domains } = context.web ?? {};
      assertWithin(url, domains);
      const page = await pages.read(url, { signal: context.signal });
      const { url: address, title, published, text: whole } = page;
      assertWithin(address, domains);
      const [source] = await context.services.addSources([
        {
          ...{ ...factsOf(page), type: 'web', url: address, title },
          ...(whole === undefined ? {} : { text: whole }),
        },
      ]);
      const known = {
        ...(source ? { sid: source.sid } : {}),
        ...{ url: address, title, ...(published === undefined ? {} : { published }) },
        ...(page.kind === 'file' ? await keepFile(page, context) : {}),
      };
      if (whole === undefined) return { result: { ok: true, ret: known } };
      const text = whole.slice(from, from + pageCharsBySize[asked]);
      const facts = { ...known, ...restOf(whole, from + text.length) };
      return {
        result: { ok: true, ret: { ...facts, text } },
        preview: `${JSON.stringify(facts)}\n\n${text}`,
      };
    },
  });
}

function restOf(whole: string, end: number): { readonly chars: number; readonly next?: number } {
  return { chars: whole.length, ...(end < whole.length ? { next: end } : {}) };
}

async function keepFile(
  { name, mime, bytes }: Page & { kind: 'file' },
  { services, call }: CallContext,
): Promise<{ readonly mime: string; readonly path: string }> {
  const filepath = `files/web/${call}/${cutText(name, 100)}`;
  const { path } = await services.writeFile({ filepath, bytes, mime, visibility: 'internal' });
  return { mime, path };
}
