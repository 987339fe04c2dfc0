import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { sourceKey } from '../../timeline/source-key.ts';
import { createTool } from '../definition/create-tool.ts';
import type { Tool } from '../ports/tool.ts';
import type { SearchHit, WebSearch } from '../ports/web.ts';
import { cutText } from '../text/cut-text.ts';
import {
  daysMax,
  hitsBySize,
  queryCharsMax,
  searchesPerTurnMax,
  searchTimeoutMs,
  snippetCharsMax,
} from './limits.ts';
import { isWithin } from './web-scope.ts';

const noSearch =
  'No search engine is configured: set web.search in assembly.yaml. Pages can still be read with web_tools.fetch.';

/** Without a search engine, every call says what to configure. */
export function createSearchTool(engine: WebSearch | undefined): Tool {
  return createTool({
    id: 'web_tools.search',
    kind: 'platform',
    traits: ['exploration'],
    timeoutMs: searchTimeoutMs,
    callsPerTurn: searchesPerTurnMax,
    ...(engine ? {} : { unavailable: noSearch }),
    description:
      'Searches the web. Each hit is a source that you can cite; read a page with web_tools.fetch before you rely on it.',
    input: z.object({
      query: z.string().trim().min(2).max(queryCharsMax),
      size: z.enum(['small', 'medium', 'large']).default('small').describe('5, 10 or 20 hits'),
      days: z.int().min(1).max(daysMax).optional().describe('only pages of the last days'),
    }),
    run: async ({ query: text, size, days }, { services, signal, web = {} }) => {
      if (!engine) throw new Refusal('not_configured', noSearch);
      const { size: asked = size, ...where } = web;
      const query = { ...where, text, limit: hitsBySize[asked], days };
      const found = await engine.search(query, { signal });
      const hits = distinct(found.filter(({ url }) => isWithin(url, where.domains)));
      const sources = await services.addSources(hits.map(toSource));
      const sids = new Map(sources.map(({ url, sid }) => [sourceKey(url), sid]));
      const rows = hits.map(({ url, title, snippet, published }) => ({
        ...sidOf(sids.get(sourceKey(url))),
        ...{ url, title, ...(published === undefined ? {} : { published }) },
        snippet: cutText(snippet, snippetCharsMax),
      }));
      return {
        result: { ok: true, ret: rows },
        ...(rows.length === 0 ? { preview: 'Nothing found. Try other words.' } : {}),
      };
    },
  });
}

function toSource({ snippet, ...hit }: SearchHit) {
  const date = hit.published === undefined ? '' : `${hit.published}: `;
  return { ...hit, type: 'web' as const, text: `${date}${cutText(snippet, snippetCharsMax)}` };
}

/** Undefined: the hit did not fit into the pool. */
function sidOf(sid: number | undefined) {
  return sid === undefined ? {} : { sid };
}

/** An engine may list one page several times, also under several spellings of its address. */
function distinct(hits: readonly SearchHit[]): readonly SearchHit[] {
  const seen = new Map<string, SearchHit>();
  for (const hit of hits) {
    const key = sourceKey(hit.url);
    if (!seen.has(key)) seen.set(key, hit);
  }
  return [...seen.values()];
}
