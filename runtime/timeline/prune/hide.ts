import { editableTailTokens } from '../limits.ts';
import { formatPath, parsePath } from '../paths.ts';
import { preTail } from '../render/checkpoints.ts';
import { toItem } from '../render/items.ts';
import { timelineSegments } from '../render/render.ts';
import { resolve } from '../resolve/resolve.ts';
import { countTokens } from '../tokens.ts';
import type { TurnView, View } from '../view.ts';

/** Whether a path may be hidden now. A change far above the end would discard the provider's cache. */
export type HideVerdict = {
  readonly status: 'ok' | 'too_old' | 'not_found';
  /** The stored form of the path. */
  readonly path: string;
  readonly blocks_hidden: number;
  readonly tokens_hidden: number;
  /** Tokens in the timeline after the last block of the path. */
  readonly tail_tokens: number;
  readonly tail_limit: number;
  /** The path is at or before the pre-tail checkpoint. */
  readonly before_cache: boolean;
};

export function checkHide(view: View, text: string): HideVerdict {
  const parsed = parsePath(text);
  const path = resolve(view, text)?.path ?? (parsed ? formatPath(parsed) : text);
  const nothing = {
    path,
    blocks_hidden: 0,
    tokens_hidden: 0,
    tail_tokens: 0,
    tail_limit: editableTailTokens,
    before_cache: false,
  };
  if (parsed?.family === 'so') return judgeSources(view, parsed.sids, nothing);
  const blocks = shownTurn(view, path)?.blocks.filter((block) => block.path === path) ?? [];
  const items = blocks.flatMap((block) => toItem(block, { ...view, hidden: new Map() }) ?? []);
  if (items.length === 0) return { status: 'not_found', ...nothing };
  const seqs = new Set(items.map(({ seq }) => seq));
  const segments = timelineSegments(view, view.head);
  const last = segments.findLastIndex((segment) => segment.blocks.some((seq) => seqs.has(seq)));
  if (last < 0 && !isInOpenRound(view, seqs)) return { status: 'not_found', ...nothing };
  const tail = last < 0 ? [] : segments.slice(last + 1);
  const tail_tokens = tail.reduce((sum, { tokens }) => sum + tokens, 0);
  const before_cache = last >= 0 && last <= (preTail(segments) ?? -1);
  return {
    ...nothing,
    status: before_cache || tail_tokens > editableTailTokens ? 'too_old' : 'ok',
    blocks_hidden: items.length,
    tokens_hidden: items.reduce((sum, item) => sum + countTokens(item.text), 0),
    tail_tokens,
    before_cache,
  };
}

/** The turn of a path, unless that turn was pruned: then the prompt contains none of its items. */
function shownTurn({ turns, pruned }: View, text: string): TurnView | undefined {
  const path = parsePath(text);
  if (!path || !('turn' in path)) return undefined;
  return turns.find(({ id }) => id === path.turn && !pruned.has(id));
}

/** Rows of the sources pool are rendered below every cache mark. */
function judgeSources(
  { sources }: View,
  sids: readonly number[],
  nothing: Omit<HideVerdict, 'status'>,
): HideVerdict {
  const rows = sources.filter(({ sid }) => sids.includes(sid));
  return { status: rows.length === 0 ? 'not_found' : 'ok', ...nothing, blocks_hidden: rows.length };
}

/** Items of the open round will be shown after it; other items that no segment shows are not in the prompt. */
function isInOpenRound({ openTurn }: View, seqs: ReadonlySet<number>): boolean {
  const round = openTurn?.rounds.at(-1);
  return round?.closed === false && round.blocks.some(({ seq }) => seqs.has(seq));
}
