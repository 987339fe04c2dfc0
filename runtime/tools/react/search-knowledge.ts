import { z } from 'zod';
import { createTool } from '../definition/create-tool.ts';
import type { KnowledgeHit, KnowledgeSpace } from '../ports/knowledge.ts';
import type { Tool } from '../ports/tool.ts';
import { cutText } from '../text/cut-text.ts';
import {
  knowledgeHitsDefault,
  knowledgeHitsMax,
  knowledgeQueryCharsMax,
  knowledgeSummaryChars,
} from './limits.ts';

/** Only for agents of a bundle with knowledge. */
export function createKnowledgeTool(space: KnowledgeSpace): Tool {
  return createTool({
    id: 'react.search_knowledge',
    kind: 'control',
    traits: ['exploration'],
    description:
      'Finds pages of the knowledge of this agent by words, best first. Each hit names its ks: path, which react.read shows.',
    input: z.object({
      query: z.string().min(1).max(knowledgeQueryCharsMax),
      limit: z.int().min(1).max(knowledgeHitsMax).default(knowledgeHitsDefault).describe('pages'),
    }),
    run: async ({ query, limit }, { signal }) => {
      const hits = (await space.search(query, { limit, signal })).slice(0, limit);
      return {
        result: { ok: true, ret: { hits: hits.map((hit) => ({ ...hit })) } },
        blocks: [],
        preview:
          hits.length === 0 ? 'Nothing found. Try other words.' : hits.map(toLine).join('\n'),
      };
    },
  });
}

function toLine({ path, title, summary }: KnowledgeHit): string {
  const about = summary ? `\n  ${cutText(summary, knowledgeSummaryChars)}` : '';
  return `- ${path} · ${title}${about}`;
}
