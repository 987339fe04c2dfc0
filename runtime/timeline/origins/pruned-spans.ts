import { entryOf } from '../catalogue/catalogue.ts';
import { toItem } from '../render/items.ts';
import { pathInRow } from '../render/text.ts';
import { storedPath } from '../short-names.ts';
import { type Quotation, type Span, spansOf } from '../spans.ts';
import type { TurnView, View } from '../view.ts';

type Source = {
  readonly view: View;
  /** The newest block with a path. */
  readonly byPath: ReadonlyMap<string, number>;
  /** The block that shortened the turn. */
  readonly by: number;
};

/** The text of a shortened turn: rows that stand for blocks, whole items that it keeps, and what the runtime wrote. */
export function prunedSpans(
  turn: TurnView,
  text: string,
  { view, byPath, by }: Source,
): readonly (Span & { readonly by?: number })[] {
  const rows = text.split('\n').flatMap((line) => rowOf(line, { view, byPath }));
  return spansOf(text, [...keptOf(turn, view), ...rows], by).map((span) => {
    if (span.as === 'whole') return span;
    return span.block === by ? { ...span, as: 'pruned' } : { ...span, by };
  });
}

function rowOf(line: string, { view, byPath }: Omit<Source, 'by'>): readonly Quotation[] {
  const short = pathInRow(line);
  const path = short === undefined ? undefined : storedPath(view, short);
  const block = path === undefined ? undefined : byPath.get(path);
  return block === undefined ? [] : [{ block, as: 'pruned', texts: [`${line}\n`] }];
}

function keptOf({ blocks }: TurnView, view: View): readonly Quotation[] {
  const kept = blocks.filter(({ type }) => entryOf(type)?.policy.prune === 'keep');
  return kept.flatMap((block) => {
    const drawn = toItem(block, view);
    return drawn ? [{ block: block.seq, as: drawn.as ?? 'whole', texts: [drawn.text] }] : [];
  });
}
