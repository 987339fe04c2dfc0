import type { Json } from '../../../base/json.ts';
import { countTokens } from '../../../timeline/tokens.ts';
import { createTool } from '../../definition/create-tool.ts';
import type { CallContext } from '../../ports/tool.ts';
import { memsearchHitsPerConversation, memsearchSurplus } from './limits.ts';
import { fromSnippets, fromTurns, type Hit, hitsText } from './memsearch-hits.ts';
import {
  hasMoreTargets,
  type Input,
  type MemoryQuery,
  MemsearchInput,
  toMemoryQuery,
} from './memsearch-input.ts';

export const memsearchTool = createTool({
  id: 'react.memsearch',
  kind: 'control',
  traits: ['exploration'],
  description:
    'Finds earlier prompts, answers, attachments, summaries and notes by words and meaning; without a query the newest turns, ' +
    'with ordinal the nth, with from and to those of a period. Hits name paths for react.read.',
  input: MemsearchInput,
  run: async (input, context) => {
    const asked = toMemoryQuery(input, context);
    if (typeof asked === 'string') {
      const error = { code: 'invalid_input', message: asked, retryable: false };
      return { result: { ok: false, error } };
    }
    const { hits, total } = await find(asked, input, context);
    const text = hitsText(hits, { ...asked, total, untried: untriedOf(input) });
    const ret: Json = {
      mode: asked.mode,
      hits: hits.map(toJson),
      ...(total === undefined ? {} : { total_turns: total }),
      tokens: countTokens(text),
      ...(asked.warnings.length === 0 ? {} : { warnings: asked.warnings }),
    };
    return { result: { ok: true, ret }, preview: text };
  },
});

function untriedOf(input: Input): readonly string[] {
  return [
    ...(hasMoreTargets(input) ? ['more targets'] : []),
    ...(input.scope === 'user' ? [] : ['scope user']),
  ];
}

type SearchHits = { readonly hits: readonly Hit[]; readonly total?: number };

async function find(asked: MemoryQuery, input: Input, context: CallContext): Promise<SearchHits> {
  return asked.mode === 'hybrid' ? search(asked, input, context) : list(asked, input, context);
}

/** Requests more snippets than hits, because several may belong to one turn and some are filtered out. */
async function search(
  { text, range }: MemoryQuery,
  input: Input,
  context: CallContext,
): Promise<SearchHits> {
  const { top_k, rank_weights: weights, include_recovery_sessions: all } = input;
  const limit = Math.max(3 * top_k, top_k + memsearchSurplus);
  const query = { ...range, text, limit, weights: definedOf(weights) };
  const snippets = await context.services.search(query);
  const hits = fromSnippets(all ? snippets : snippets.filter(({ recovery }) => !recovery), context);
  return { hits: spreadConversations(hits, input).slice(0, top_k) };
}

/** Moves hits beyond a few per conversation behind those of other conversations. */
function spreadConversations(hits: readonly Hit[], { scope }: Input): readonly Hit[] {
  if (scope === 'conversation') return hits;
  const counts = new Map<string, number>();
  const isOver = ({ conversation }: Hit) => {
    const count = (counts.get(conversation) ?? 0) + 1;
    counts.set(conversation, count);
    return count > memsearchHitsPerConversation;
  };
  const over = new Set(hits.filter(isOver));
  return [...hits.filter((hit) => !over.has(hit)), ...over];
}

async function list(
  asked: MemoryQuery,
  { top_k }: Input,
  context: CallContext,
): Promise<SearchHits> {
  const { mode, range, order, ordinal } = asked;
  const page = mode === 'ordinal' ? { offset: ordinal - 1, limit: 1 } : { offset: 0, limit: top_k };
  const { rows, total } = await context.services.turns({ ...range, ...page, order });
  return { hits: fromTurns(rows, context), total };
}

function toJson({ conversation: _, snippets, ...hit }: Hit): Json {
  return { ...hit, snippets: snippets.map((snippet) => ({ ...snippet })) };
}

function definedOf(weights: Input['rank_weights']) {
  const { semantic, lexical, recency } = weights;
  return {
    ...(semantic === undefined ? {} : { semantic }),
    ...(lexical === undefined ? {} : { lexical }),
    ...(recency === undefined ? {} : { recency }),
  };
}
