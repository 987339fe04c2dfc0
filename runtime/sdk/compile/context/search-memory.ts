import { Refusal } from '../../../base/refusal.ts';
import type { MemoryRange } from '../../../timeline/ports/store.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
import { parseTime } from '../../../tools/react/memsearch/parse-time.ts';
import type { ToolContext } from '../../define/context.ts';

type Search = Parameters<ToolContext['memory']['search']>[0];
type SearchResult = Awaited<ReturnType<ToolContext['memory']['search']>>;

const limitDefault = 8;

/** Searches the user's memory: the best matches for a query or, by mode, turns by their position or time. */
export async function searchMemory(request: Search, call: CallContext): Promise<SearchResult> {
  const { query, mode, ordinal = 1, limit = limitDefault } = request;
  const range = rangeOf(request, call);
  if (mode === undefined && query !== undefined && query.trim() !== '') {
    const found = await call.services.search({ ...range, text: query, limit });
    return found.map(({ path, text, score, conversation }) =>
      toResult({ path, text, conversation, score }, call),
    );
  }
  const page =
    mode === 'ordinal'
      ? { offset: Math.max(1, Math.abs(ordinal)) - 1, limit: 1 }
      : { offset: 0, limit };
  const first = mode === 'ordinal' && ordinal > 0 ? 'asc' : 'desc';
  const { rows } = await call.services.turns({ ...range, ...page, order: request.order ?? first });
  return rows
    .flatMap(({ conversation, snippets }) =>
      snippets.map((snippet) => ({ ...snippet, conversation })),
    )
    .slice(0, limit)
    .map(({ path, text, conversation }) => toResult({ path, text, conversation, score: 1 }, call));
}

/** A path in another conversation includes that conversation's id, so that `ctx.read` finds it. */
function toResult(
  { path, text, score, conversation }: SearchResult[number] & { conversation: string },
  { conversation: here }: CallContext,
): SearchResult[number] {
  return {
    path: conversation === here ? path : path.replace(':', `:${conversation}.`),
    text,
    score,
  };
}

function rangeOf(request: Search, { now, turn: except }: CallContext): MemoryRange {
  const { targets = ['summary', 'assistant', 'user'] } = request;
  return { targets, except, ...bound('from', request, now), ...bound('to', request, now) };
}

function bound(name: 'from' | 'to', request: Search, now: string): { from?: string; to?: string } {
  const text = request[name];
  if (text === undefined) return {};
  const at = parseTime(text, now);
  if (at === undefined)
    throw new Refusal('invalid_input', `${name} “${text}” is not a valid time.`);
  return { [name]: at };
}
