import type { Block } from '../block.ts';
import type { Span } from '../spans.ts';
import { countTokens } from '../tokens.ts';
import type { RoundView, TurnView } from '../view.ts';
import { FormCache, type PromptForm } from './form.ts';
import type { Item } from './items.ts';
import type { RenderPart } from './parts.ts';

/** A part and its origin. */
export type Segment = {
  readonly part: RenderPart;
  readonly tokens: number;
  readonly turn: string;
  /** Set on the first part of a round. */
  readonly opensRound?: true;
  /** Seqs of the blocks in this part. */
  readonly blocks: readonly number[];
  /** Of the text of the part, from its beginning to its end. Empty for a part without text. */
  readonly spans: readonly Span[];
};

/** Turns items into parts: an image or document ends a text part, and so does another role. */
export function toSegments(items: readonly Item[], turn: string): readonly Segment[] {
  const segments: Segment[] = [];
  let run: Item[] = [];
  const cut = () => {
    if (run.length > 0) segments.push(textSegment(run, turn));
    run = [];
  };
  for (const item of items) {
    if (run[0] && run[0].role !== item.role) cut();
    run.push(item);
    if (!item.attached) continue;
    cut();
    for (const { tokens, ...blob } of item.attached) {
      segments.push({
        part: { kind: 'blob', ...blob },
        tokens,
        turn,
        blocks: [item.seq],
        spans: [],
      });
    }
  }
  cut();
  return segments;
}

function textSegment(items: readonly Item[], turn: string): Segment {
  const text = items.map((item) => item.text).join('');
  const blocks = items.map(({ seq }) => seq);
  const role = items[0]?.role;
  const part = { kind: 'text' as const, text, ...(role ? { role } : {}) };
  return { part, tokens: countTokens(text), turn, blocks, spans: spansIn(items) };
}

export function spansIn(items: readonly Item[]): readonly Span[] {
  return items
    .filter(({ text }) => text !== '')
    .map(({ seq, text, as = 'whole' }) => ({ block: seq, chars: text.length, as }));
}

type Hidden = ReadonlyMap<string, string>;
type CachedUnit = {
  readonly segments: readonly Segment[];
  readonly paths: readonly string[];
  hidden: Hidden;
};
type CachedPrunedTurn = { readonly text: string; readonly segments: readonly Segment[] };
const shorts = new WeakMap<TurnView, CachedPrunedTurn>();
const memories = new FormCache<TurnView | RoundView, CachedUnit>();

type Drawing = { readonly hidden: Hidden; readonly form: PromptForm };

/** Renders a closed turn or round once, and again only if one of its paths is hidden or shown. */
export function cachedSegments(
  unit: TurnView | RoundView,
  { hidden, form }: Drawing,
  draw: () => readonly Segment[],
): readonly Segment[] {
  const known = memories.get(unit, form);
  if (known && sameFor(known, hidden)) {
    known.hidden = hidden;
    return known.segments;
  }
  const segments = draw();
  const paths = [...new Set(unit.blocks.flatMap(({ path }) => path ?? []))];
  memories.set(unit, form, { segments, paths, hidden });
  return segments;
}

function sameFor(known: CachedUnit, hidden: Hidden): boolean {
  if (known.hidden === hidden) return true;
  return known.paths.every((path) => known.hidden.get(path) === hidden.get(path));
}

/** Renders a pruned turn once for each replacement text. */
export function cachedPrunedTurn(
  turn: TurnView,
  text: string,
  draw: () => readonly Segment[],
): readonly Segment[] {
  const known = shorts.get(turn);
  if (known?.text === text) return known.segments;
  const segments = draw();
  shorts.set(turn, { text, segments });
  return segments;
}

type CachedLooseItems = { readonly items: readonly Item[]; readonly segments: readonly Segment[] };
const loose = new FormCache<Block, CachedLooseItems>();

/** The block before the items, and what they belong to. */
type LoosePlace = {
  readonly after: Block | undefined;
  readonly turn: string;
  readonly form: PromptForm;
};

/** Renders the items between rounds of an open turn once. */
export function cachedLooseItems(
  items: readonly Item[],
  { after, turn, form }: LoosePlace,
): readonly Segment[] {
  if (!after || items.length === 0) return toSegments(items, turn);
  const known = loose.get(after, form);
  if (known && isSame(known.items, items)) return known.segments;
  const segments = toSegments(items, turn);
  loose.set(after, form, { items, segments });
  return segments;
}

/** The text of a hidden item contains its replacement, so comparing texts is sufficient. */
function isSame(known: readonly Item[], items: readonly Item[]): boolean {
  return (
    known.length === items.length && known.every(({ text }, index) => text === items[index]?.text)
  );
}
