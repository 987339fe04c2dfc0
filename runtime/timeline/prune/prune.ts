import type { Json } from '../../base/json.ts';
import type { Block, Draft } from '../block.ts';
import type { TurnId } from '../ids.ts';
import { pruneSavedTokensMin } from '../limits.ts';
import { toBlockPath } from '../paths.ts';
import { cacheBreak } from '../render/cache-break.ts';
import { lastForm } from '../render/form.ts';
import type { Segment } from '../render/segments.ts';
import { renderTurn } from '../render/turn.ts';
import type { TurnView, View } from '../view.ts';
import { type CacheSettings, type ColdCache, coldness } from './cache-cold.ts';
import { shortenRecent } from './recent.ts';
import { shortTurn } from './short-turn.ts';
import { unfoldedFeedback } from './turn-feedback.ts';
import { pathsToUnhide } from './unhide.ts';

export type PruneSettings = CacheSettings & {
  /** Number of turns, with the open one, that keep their rounds. */
  readonly recentTurns: number;
  /** Number of these turns that are kept unchanged. */
  readonly intactTurns: number;
};

/**
 * Chooses what to remove from the prompt now, as blocks to append. Undefined while the provider may have the prefix in its
 * cache, or if there is nothing to gain. After these blocks are written, it returns undefined until the next model call.
 * `now` in epoch milliseconds.
 */
export function planPrune(
  view: View,
  { now, settings }: { now: number; settings: PruneSettings },
): readonly Draft[] | undefined {
  const turn = view.openTurn;
  const cold = turn && coldness(view, now, settings);
  if (!turn || !cold || turn.blocks.some((block) => isDone(block, cold))) return undefined;
  const drafts = [...unhide(view, turn, settings), ...prune(view, { turn, cold, settings })];
  return drafts.length === 0 ? undefined : drafts;
}

/** The cold cache was already used for a prune, and nothing has been cached since. */
function isDone({ type, seq }: Block, { last_call }: ColdCache): boolean {
  return seq > last_call && (type === 'view.prune' || type === 'view.unhide');
}

type Moment = {
  readonly turn: TurnView;
  readonly cold: ColdCache;
  readonly settings: PruneSettings;
};

function unhide(view: View, { id: turn }: TurnView, settings: PruneSettings): readonly Draft[] {
  const { recent } = rangesOf(view, settings);
  return pathsToUnhide(view, recent).flatMap((path): readonly Draft[] => [
    { type: 'view.unhide', turn, author: 'system', data: { path, cause: 'read' } },
    cacheBreak({ turn, cause: 'unhide', tokens: 0 }),
  ]);
}

function prune(seen: View, { turn, cold, settings }: Moment): readonly Draft[] {
  const feedback = unfoldedFeedback(seen);
  const folded = feedback.map(({ path, text }) => [toBlockPath(path), text] as const);
  const view = { ...seen, hidden: new Map([...seen.hidden, ...folded]) };
  const ranges = rangesOf(view, settings);
  const turns = ranges.old.flatMap((each) => shorter(view, each));
  const recent = shortenRecent(view, ranges);
  const saved = [...turns, ...recent].reduce((sum, each) => sum + each.saved, 0);
  const isWorth = saved >= pruneSavedTokensMin;
  if (!isWorth && feedback.length === 0) return [];
  const before = tokensOf(view.turns.flatMap((each) => draw(view, each)));
  const data = {
    cause: 'cold_cache',
    turns: isWorth ? turns.map(({ turn: id, text }): Json => ({ turn: id, text })) : [],
    paths: [...(isWorth ? recent : []), ...feedback].map(
      ({ path, text }): Json => ({ path, text }),
    ),
    evidence: { ...cold },
    tokens_before: before,
    tokens_after: before - (isWorth ? saved : 0),
  };
  return [
    { type: 'view.prune', turn: turn.id, author: 'system', data },
    cacheBreak({ turn: turn.id, cause: 'prune', tokens: 0 }),
  ];
}

/** `old`: turns to replace by a few lines. `light`: recent turns that lose large items. `recent`: all recent turns. */
function rangesOf({ turns }: View, { recentTurns, intactTurns }: PruneSettings) {
  const intact = Math.max(1, intactTurns);
  const recent = turns.slice(-Math.max(recentTurns, intact));
  return {
    old: turns.slice(0, turns.length - recent.length),
    recent,
    light: recent.slice(0, -intact),
  };
}

function shorter(
  view: View,
  turn: TurnView,
): readonly { readonly turn: TurnId; readonly text: string; readonly saved: number }[] {
  if (view.pruned.has(turn.id) || !turn.closed) return [];
  const text = shortTurn(view, turn);
  const after = draw({ ...view, pruned: new Map([[turn.id, text]]) }, turn);
  const saved = tokensOf(draw(view, turn)) - tokensOf(after);
  return saved > 0 ? [{ turn: turn.id, text, saved }] : [];
}

function draw(view: View, turn: TurnView): readonly Segment[] {
  return renderTurn(turn, { ...view, asOf: view.head, form: lastForm(view) });
}

function tokensOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}
