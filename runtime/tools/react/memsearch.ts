import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Snippet } from '../../timeline/store.ts';
import { createTool } from '../create-tool.ts';
import { cutText } from '../cut.ts';
import type { CallContext } from '../tool.ts';
import {
  memsearchHitsDefault,
  memsearchHitsMax,
  memsearchQueryCharsMax,
  memsearchSnippetChars,
} from './limits.ts';

type Hit = { readonly turn: string; readonly index: string; readonly snippets: readonly Found[] };
type Found = {
  readonly path: string;
  readonly role: string;
  readonly at: string;
  readonly text: string;
};

export const memsearchTool = createTool({
  id: 'react.memsearch',
  kind: 'control',
  traits: ['exploration'],
  description:
    'Finds earlier prompts, answers, attachments, summaries and notes by words, in this conversation or in all of the user’s. ' +
    'Without a query it gives an overview: the newest. Each hit names its turn’s index and the paths to give to react.read.',
  input: z.object({
    query: z.string().default('').describe('words to look for; empty for an overview'),
    targets: z
      .array(z.enum(['assistant', 'user', 'attachment', 'summary', 'notes']))
      .default(['assistant', 'user', 'attachment', 'summary', 'notes'])
      .describe('where to look'),
    scope: z.enum(['conversation', 'user']).default('conversation'),
    top_k: z.int().min(1).max(memsearchHitsMax).default(memsearchHitsDefault).describe('turns'),
  }),
  run: async ({ query, targets, scope, top_k }, context) => {
    const text = cutText(query.trim(), memsearchQueryCharsMax);
    const snippets = await context.services.search({
      ...(text === '' ? {} : { text }),
      targets,
      ...(scope === 'conversation' ? { conversation: context.conversation } : {}),
      limit: top_k * 3,
    });
    const hits = byTurn(snippets, context).slice(0, top_k);
    const ret: Json = { mode: text === '' ? 'overview' : 'search', hits };
    return { result: { ok: true, ret }, preview: toText(hits, text) };
  },
});

/** Best first, as found; what belongs to one turn is one hit. */
function byTurn(snippets: readonly Snippet[], { conversation: here }: CallContext): readonly Hit[] {
  const hits = new Map<string, Found[]>();
  const indexes = new Map<string, string>();
  for (const { conversation, turn, path, target: role, at, text } of snippets) {
    const owner = conversation === here ? '' : `${conversation}.`;
    const id = `${owner}${turn}`;
    indexes.set(id, `ar:${id}.react.turn.index`);
    const found = hits.get(id) ?? [];
    hits.set(id, found);
    found.push({
      path: path.replace(':', `:${owner}`),
      role,
      at,
      text: cutText(text, memsearchSnippetChars),
    });
  }
  return [...hits].map(([turn, found]) => ({
    turn,
    index: indexes.get(turn) ?? '',
    snippets: found,
  }));
}

function toText(hits: readonly Hit[], query: string): string {
  if (hits.length === 0) {
    return query === ''
      ? 'Nothing has been said yet.'
      : 'Nothing found. Try other words, more targets, or scope user.';
  }
  return hits.map((hit) => [hit.index, ...hit.snippets.map(snippetText)].join('\n')).join('\n\n');
}

function snippetText({ path, role, at, text }: Found): string {
  return `- ${role} · ${at} · ${path}\n  ${text.replaceAll(/\s+/g, ' ')}`;
}
