import type { Block } from '../block.ts';
import { dataOf, entryOf } from '../catalogue/catalogue.ts';
import type { RenderAs } from '../catalogue/entry.ts';
import type { TurnId } from '../ids.ts';
import { shortNames } from '../short-names.ts';
import type { RoundView, View } from '../view.ts';
import { toItem } from './items.ts';
import { cachedSegments, type Segment, toSegments } from './segments.ts';
import { item } from './text.ts';

/** The display order of related blocks, independent of their arrival; kinds in one row keep the order of the log. */
const order: readonly (readonly RenderAs[])[] = [
  ['thinking'],
  ['notes', 'remark', 'note'],
  ['code'],
  ['call'],
  ['canvas'],
  ['file'],
  ['result'],
  ['source'],
  ['notice'],
  ['completion'],
  ['summary'],
];
const rows = new Map(order.flatMap((row, place) => row.map((kind) => [kind, place] as const)));

/** Parts of a reply that belong to none of its calls and precede their results. */
const saidFirst: ReadonlySet<RenderAs> = new Set([
  'thinking',
  'notes',
  'remark',
  'note',
  'code',
  'canvas',
]);

type RoundContext = Pick<View, 'turns' | 'earlierTurns' | 'hidden'> & { readonly turn: TurnId };

/** A closed round as segments; the first one has `opensRound`. */
export function renderRound(round: RoundView, { turn, ...view }: RoundContext): readonly Segment[] {
  return cachedSegments(round, view.hidden, () => {
    const blocks = inReadingOrder(round).filter((block) => !isNamed(block, round, view));
    const items = blocks.flatMap((block) => toItem(block, view) ?? []);
    const segments = toSegments([{ seq: round.openSeq, text: header(round) }, ...items], turn);
    return segments.map((segment, index) => ({
      ...segment,
      ...(index === 0 ? { opensRound: true as const } : {}),
    }));
  });
}

/** Whether the result of the call already names this file, so that the file is omitted. A hidden file is never omitted. */
function isNamed(
  { type, path, call }: Block,
  { calls }: RoundView,
  view: Omit<RoundContext, 'turn'>,
): boolean {
  if (type !== 'artifact.file' || path === undefined || view.hidden.has(path)) return false;
  const { text = '' } = calls.find((each) => each.call === call)?.result ?? {};
  const named = shortNames(view).path(path);
  const at = text.indexOf(named);
  return at >= 0 && !/^\.?[\w/-]/.test(text.slice(at + named.length, at + named.length + 2));
}

/** General text first, then each call with its notes, its program and its results, then the rest. */
export function inReadingOrder({ blocks, calls }: RoundView): readonly Block[] {
  const groups = new Map(calls.map(({ call }, index) => [call, index + 1]));
  return blocks
    .map((block) => {
      const kind = entryOf(block.type)?.policy.render ?? 'none';
      const beside = saidFirst.has(kind) ? 0 : calls.length + 1;
      const group = (block.call === undefined ? undefined : groups.get(block.call)) ?? beside;
      return { block, group, row: rows.get(kind) ?? order.length };
    })
    .sort((a, b) => a.group - b.group || a.row - b.row || a.block.seq - b.block.seq)
    .map(({ block }) => block);
}

function header(round: RoundView): string {
  const last = round.blocks.at(-1);
  const outcome =
    last?.type === 'round.close' ? dataOf('round.close', last)?.outcome : 'interrupted';
  const odd = outcome === 'acted' || outcome === 'answered' ? undefined : outcome;
  return item(`ROUND ${round.number}`, [odd]);
}
