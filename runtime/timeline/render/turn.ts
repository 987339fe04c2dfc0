import type { Block } from '../block.ts';
import { type Seq, toSeq } from '../ids.ts';
import { shortNames } from '../short-names.ts';
import type { CoveredRounds, RoundView, TurnView, View } from '../view.ts';
import type { PromptForm } from './form.ts';
import type { Item, ItemContext } from './items.ts';
import { renderRound, toLooseItem } from './round.ts';
import {
  cachedLooseItems,
  cachedPrunedTurn,
  cachedSegments,
  type Segment,
  toSegments,
} from './segments.ts';

type TurnContext = Pick<View, 'turns' | 'earlierTurns' | 'hidden' | 'pruned' | 'covered'> & {
  readonly asOf: Seq;
  readonly form: PromptForm;
};

/** A turn as segments. After it is closed they change only if one of its paths is hidden or the turn is pruned. */
export function renderTurn(turn: TurnView, reading: TurnContext): readonly Segment[] {
  const short = reading.pruned.get(turn.id);
  if (short !== undefined)
    return cachedPrunedTurn(turn, short, () => drawPruned(turn, { short, reading }));
  const done = turn.closed !== undefined && turn.closed.seq <= reading.asOf;
  return done
    ? cachedSegments(turn, reading, () => drawTurn(turn, reading))
    : drawTurn(turn, reading);
}

function drawPruned(
  turn: TurnView,
  { short, reading }: { short: string; reading: TurnContext },
): readonly Segment[] {
  const items = turn.blocks.map(({ seq }) => ({ seq, text: '' }));
  return toSegments(
    [head(turn, reading), { seq: turn.openSeq, text: short, as: 'pruned' }, ...items],
    turn.id,
  );
}

function head({ id, openSeq }: TurnView, view: TurnContext): Item {
  return { seq: openSeq, text: `TURN ${shortNames(view).turn(id)}\n\n`, as: 'heading' };
}

/**
 * Blocks outside rounds follow the last round that had not seen them. An open round is not shown and holds back the
 * blocks that it has not seen, because its own text will precede them.
 */
function drawTurn(turn: TurnView, reading: TurnContext): readonly Segment[] {
  const { hidden, turns, earlierTurns, covered, asOf, form } = reading;
  const view = { hidden, turns, earlierTurns };
  const open = turn.rounds.findIndex((round) => !isDone(round, asOf));
  const rounds = open < 0 ? turn.rounds : turn.rounds.slice(0, open);
  const limit = toSeq(Math.min(asOf, turn.rounds[rounds.length]?.asOf ?? asOf));
  const loose = looseBlocks(turn).filter(({ seq }) => seq <= limit);
  const between = (after: Seq, until: Seq, shown: ItemContext) =>
    loose
      .filter(({ seq }) => seq > after && seq <= until)
      .flatMap((block) => toLooseItem(block, shown, form) ?? []);

  const unseen = (round: RoundView, index: number) => {
    const until = rounds[index + 1]?.asOf ?? limit;
    return between(round.asOf, until, { ...view, during: round.number });
  };

  const seenFirst = between(toSeq(-1), rounds[0]?.asOf ?? limit, view);
  const cover = covered.get(turn.id);
  const lastCovered = (cover?.rounds ?? 0) - 1;
  const takenIn = rounds.slice(0, Math.max(0, lastCovered)).flatMap(unseen);
  const segments = [
    ...cachedLooseItems([head(turn, reading), ...seenFirst, ...takenIn], {
      after: turn.blocks[0],
      turn: turn.id,
      form,
    }),
    ...toSegments(cover ? drawCovered(rounds, cover) : [], turn.id),
  ];
  for (const [index, round] of rounds.entries()) {
    if (index < lastCovered) continue;
    const place = { turn: turn.id, form };
    if (index !== lastCovered) segments.push(...renderRound(round, { ...view, ...place }));
    segments.push(...cachedLooseItems(unseen(round, index), { ...place, after: round.blocks[0] }));
  }
  return segments;
}

/** Events that arrived during these rounds are still shown: above the text if it takes them into account, else below. */
function drawCovered(
  rounds: readonly RoundView[],
  { rounds: count, text }: CoveredRounds,
): readonly Item[] {
  const [first, ...rest] = rounds.slice(0, count).flatMap(({ blocks }) => blocks);
  if (!first) return [];
  return [{ seq: first.seq, text, as: 'summary' }, ...rest.map(({ seq }) => ({ seq, text: '' }))];
}

function isDone(round: RoundView, asOf: Seq): boolean {
  return round.closed && (round.blocks.at(-1)?.seq ?? round.openSeq) <= asOf;
}

function looseBlocks(turn: TurnView): readonly Block[] {
  const inRounds = new Set(turn.rounds.flatMap((round) => round.blocks));
  const loose = turn.blocks.filter((block) => !inRounds.has(block));
  // Later feedback of a path changes the text in the place of the first one, when it is folded.
  const first = new Map(loose.toReversed().map((block) => [block.path, block]));
  return loose.filter((block) => block.type !== 'feedback' || first.get(block.path) === block);
}
