import type { Block } from '../block.ts';
import type { RenderAs } from '../catalogue/entry.ts';
import { dataOf, entryOf } from '../catalogue.ts';
import type { RoundView } from '../view.ts';
import { toItem } from './items.ts';
import { remembered, type Segment, toSegments } from './segments.ts';
import { item } from './text.ts';

/** The order within a round, whatever the order of arrival; what stands in one row keeps the order of the log. */
const order: readonly (readonly RenderAs[])[] = [
  ['thinking'],
  ['notes', 'remark', 'note'],
  ['code'],
  ['canvas'],
  ['call'],
  ['file'],
  ['result'],
  ['source'],
  ['notice'],
  ['completion'],
  ['summary'],
];
const places = new Map(order.flatMap((row, place) => row.map((kind) => [kind, place] as const)));

type Reading = { readonly hidden: ReadonlyMap<string, string>; readonly turn: string };

/** A closed round as segments, the first and the last of which say so. */
export function renderRound(round: RoundView, { hidden, turn }: Reading): readonly Segment[] {
  return remembered(round, hidden, () => {
    const shown = round.blocks.toSorted((a, b) => placeOf(a) - placeOf(b) || a.seq - b.seq);
    const items = shown.flatMap((block) => toItem(block, { hidden }) ?? []);
    const segments = toSegments([{ seq: round.openSeq, text: header(round) }, ...items], turn);
    return segments.map((segment, index) => ({
      ...segment,
      ...(index === 0 ? { opensRound: true as const } : {}),
      ...(index === segments.length - 1 ? { round: round.number } : {}),
    }));
  });
}

function header(round: RoundView): string {
  const last = round.blocks.at(-1);
  const outcome =
    last?.type === 'round.close' ? dataOf('round.close', last)?.outcome : 'interrupted';
  const odd = outcome === 'acted' || outcome === 'answered' ? undefined : outcome;
  return item(`ROUND ${round.number}`, [odd]);
}

function placeOf(block: Block): number {
  return places.get(entryOf(block.type)?.policy.render ?? 'none') ?? order.length;
}
