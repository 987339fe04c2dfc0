import { unreachable } from '../../base/assert.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Block, Draft } from '../block.ts';
import { compact } from '../compact/compact.ts';
import { chooseCut, summaryAllowance } from '../compact/cut.ts';
import { extractHistory, extractProgress, progressSoFar } from '../compact/extract.ts';
import { emptyView, foldAll, foldArchive } from '../fold/fold.ts';
import { toSeq, toTurnId } from '../ids.ts';
import { cacheReadPrice, cacheWritePrice } from '../limits.ts';
import { lastPrompted } from '../prompt-rounds.ts';
import { checkHide } from '../prune/hide.ts';
import { planPrune } from '../prune/prune.ts';
import { shortNames } from '../short-names.ts';
import type { TurnView, View } from '../view.ts';
import { commonParts, keptParts, type Request, type RequestPart, toRequest } from './request.ts';

/** `hide:<path>`, `keep:<turns>`, `prune`, `compact`, `catalogue`. */
export type CacheEdit =
  | { readonly kind: 'hide'; readonly path: string }
  /** Had these many recent turns been kept whole, and nothing compacted. */
  | { readonly kind: 'keep'; readonly turns: number }
  | { readonly kind: 'prune' | 'compact' | 'catalogue' };

export type WhatIfSettings = {
  /** Tokens that the timeline may have in a prompt. */
  readonly room: number;
  readonly recentTurns: number;
  readonly intactTurns: number;
};

/** The effect of an edit on the next prompt if the provider has cached the whole last one. Tokens by our own count. */
export type WhatIf = {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Cached tokens that must be sent again because of the edit. */
  readonly again: number;
  /** Number of calls after which the savings exceed that cost; undefined: never. */
  readonly paysAfterCalls: number | undefined;
};

/** Undefined: the edit would change nothing. */
export function whatIf(
  view: View,
  edit: Exclude<CacheEdit, { kind: 'keep' }>,
  settings: WhatIfSettings,
): WhatIf | undefined {
  const now = inTurn(view);
  // The inputs outside the log (the system text) do not change, even if the edit removes the round that recorded them.
  const beside = lastOpened(now);
  const before = requestOf(now, beside);
  const isSent = sentOf(now);
  if (edit.kind === 'catalogue') return cost(before, before, tokensOf(before, 0, isSent));
  const drafts = draftsOf(now, edit, settings);
  if (drafts.length === 0) return undefined;
  const edited = drafts.map((draft, index) => place(now, draft, index));
  const after = requestOf(foldAll(now, edited), beside);
  const common = commonParts(before, after);
  const kept = entriesOf(before).filter((parts) => parts <= common);
  return cost(before, after, tokensOf(after, keptParts(kept, after), isSent));
}

/**
 * The next prompt, had recent turns been kept whole and nothing compacted. Nothing is sent again: it would have been like
 * that all along. Undefined: the prompt has all of them.
 */
export function whatIfKept(
  blocks: readonly Block[],
  turns: number,
  settings: WhatIfSettings,
): WhatIf | undefined {
  const now = inTurn(foldAll(emptyView, blocks));
  const beside = lastOpened(now);
  const whole = inTurn(
    foldArchive(
      emptyView,
      blocks.filter(({ type }) => !removals.has(type)),
    ),
  );
  const kept = { ...settings, recentTurns: turns, intactTurns: turns, ttlMs: 1, changed: true };
  const drafts = planPrune(whole, { now: 0, settings: kept }) ?? [];
  const edited = drafts.map((draft, index) => place(whole, draft, index));
  const said = cost(requestOf(now, beside), requestOf(foldAll(whole, edited), beside), 0);
  return said.tokensAfter > said.tokensBefore ? said : undefined;
}

const removals: ReadonlySet<string> = new Set(['view.prune', 'view.compact']);

/** No request has contained the newest round and what came after it; the result of an edit counts as the blocks it replaces. */
function sentOf({ head, turns }: View): (part: RequestPart) => boolean {
  const seen = lastPrompted(turns)?.asOf ?? 0;
  return ({ blocks }) => !blocks.some((seq) => seq > seen && seq <= head);
}

/** Most edits require an open turn: between two turns, assumes that the next one has begun. */
function inTurn(view: View): View {
  if (view.openTurn) return view;
  const draft = {
    type: 'turn.open',
    turn: toTurnId('turn_what_if'),
    author: 'system',
    data: {},
  } as const;
  return foldAll(view, [place(view, draft, 0)]);
}

function place({ head, turns }: View, draft: Draft, index: number): Block {
  const at = turns.at(-1)?.openedAt ?? '';
  return { ...draft, conversation: '', seq: toSeq(head + index + 1), at, meta: draft.meta ?? {} };
}

function lastOpened({ turns }: View): JsonObject {
  const opened = lastPrompted(turns)?.blocks[0];
  return isJsonObject(opened?.data) ? opened.data : {};
}

function requestOf(view: View, beside: JsonObject): Request {
  const data = { ...beside, as_of: view.head };
  const draft = { type: 'round.open', turn: toTurnId(''), author: 'system', data } as const;
  return toRequest(view, place(view, draft, 0));
}

/** Positions of the marks in earlier requests: before each turn, and before each round, where the previous one ended. */
function entriesOf({ parts, entries }: Request): readonly number[] {
  const before = parts.flatMap(({ turn, opensRound }, index) =>
    opensRound || turn !== parts[index - 1]?.turn ? [index] : [],
  );
  return [...entries, ...before];
}

function cost(before: Request, after: Request, again: number): WhatIf {
  const [tokensBefore, tokensAfter] = [tokensOf(before, 0), tokensOf(after, 0)];
  const once = again * (cacheWritePrice - cacheReadPrice);
  const saved = (tokensBefore - tokensAfter) * cacheReadPrice;
  const paysAfterCalls = saved > 0 ? Math.ceil(once / saved) : undefined;
  return { tokensBefore, tokensAfter, again, paysAfterCalls };
}

/** Tokens without the tail, which is never cached. */
function tokensOf(
  { parts }: Request,
  from: number,
  counts: (part: RequestPart) => boolean = () => true,
): number {
  return parts
    .slice(from)
    .filter((part) => part.in !== 'tail' && counts(part))
    .reduce((sum, { tokens }) => sum + tokens, 0);
}

function draftsOf(
  view: View,
  edit: Parameters<typeof whatIf>[1],
  settings: WhatIfSettings,
): readonly Draft[] {
  const turn = view.openTurn;
  if (!turn) return [];
  switch (edit.kind) {
    case 'hide': {
      const { status, path } = checkHide(view, edit.path);
      if (status === 'not_found') return [];
      const replacement = `[hidden: react.read ${path} shows it]`;
      const data = { path, replacement, cause: 'what_if' };
      return [{ type: 'view.hide', turn: turn.id, author: 'system', data }];
    }
    case 'prune':
      return planPrune(view, { now: 0, settings: { ...settings, ttlMs: 1, changed: true } }) ?? [];
    case 'compact':
      return compaction(view, turn, settings);
    case 'catalogue':
      return [];
    default:
      return unreachable(edit);
  }
}

/** Uses the mechanical extract instead of a summary written by a model. */
function compaction(view: View, turn: TurnView, settings: WhatIfSettings): readonly Draft[] {
  const { room } = settings;
  const cut = chooseCut(view, { ...settings, forced: true });
  if (!cut) return [];
  const tokensMax = summaryAllowance(room);
  const before = view.memory?.kept.summary ?? '';
  const names = shortNames(view);
  const summary = extractHistory(cut.turns, { before, tokensMax, names });
  const soFar = progressSoFar(view, turn, cut.rounds);
  const progress = extractProgress(soFar.fresh, { before: soFar.before, tokensMax });
  const now = turn.openedAt;
  return [compact(view, turn, { cut, cause: 'limit', room, now, summary, progress }).draft];
}
