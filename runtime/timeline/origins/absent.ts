import type { Block } from '../block.ts';
import { dataOf, entryOf, understands } from '../catalogue/catalogue.ts';
import { isBetween, pathIn } from '../fold/between.ts';
import { noTurn, type TurnId } from '../ids.ts';
import { isAnswer, type PastRound } from '../render/past-rounds.ts';
import { isNamed } from '../render/reading-order.ts';
import type { RoundView, TurnView, View } from '../view.ts';
import type { Origin } from './origins.ts';
import type { ViewChanges } from './view-changes.ts';

/**
 * Why a prompt lacks the text of a block: it was hidden, pruned or compacted by the block `by`; its round was still open;
 * the user recalled it; the result of its call already names it (`named`); the prompt is the record of another turn
 * (`record`); the block had no text to show (`empty`); models never see its type (`silent`).
 */
export type AbsenceCause =
  | 'hidden'
  | 'pruned'
  | 'compacted'
  | 'open_round'
  | 'recalled'
  | 'named'
  | 'record'
  | 'empty'
  | 'silent';

export type Absence = {
  readonly block: number;
  readonly because: AbsenceCause;
  readonly by?: number;
};

type Inputs = {
  /** Of each part. */
  readonly origins: readonly (readonly Origin[])[];
  /** All blocks of the log up to the last one that the round had seen. */
  readonly blocks: readonly Block[];
  readonly changes: ViewChanges;
};

/** Every block that the prompt does not show in full, in order. A block is in this list, or one of its origins is `whole`. */
export function absentBlocks(past: PastRound, inputs: Inputs): readonly Absence[] {
  const judge = new Judge(past, inputs);
  return inputs.blocks.flatMap((block) => judge.absence(block) ?? []);
}

class Judge {
  readonly #past: PastRound;
  readonly #changes: ViewChanges;
  readonly #turns: ReadonlyMap<string, TurnView>;
  readonly #rounds: ReadonlyMap<number, RoundPlace>;
  readonly #openings: ReadonlyMap<string, Block>;
  readonly #whole: ReadonlySet<number>;
  readonly #replaced: ReadonlyMap<number, Origin>;
  readonly #recalled: ReadonlySet<string | undefined>;

  constructor(past: PastRound, { origins, blocks, changes }: Inputs) {
    this.#past = past;
    this.#changes = changes;
    const { turns } = past.view;
    this.#turns = new Map(turns.map((turn) => [turn.id, turn]));
    this.#rounds = roundsOf(past.view);
    this.#openings = new Map(
      blocks.flatMap((block) => (block.type === 'turn.open' ? [[block.turn, block]] : [])),
    );
    const all = origins.flat();
    this.#whole = new Set(all.flatMap(({ as, block }) => (as === 'whole' ? block : [])));
    this.#replaced = new Map(
      all.filter(({ as }) => as === 'hidden' || as === 'pruned').map((each) => [each.block, each]),
    );
    const inTurns = turns.flatMap(({ blocks: own }) => own);
    const early = blocks.filter((block) => block.turn === noTurn && isBetween(block));
    this.#recalled = new Set(
      [...inTurns, ...early]
        .filter(({ type }) => type === 'external.recall')
        .map(({ path }) => path),
    );
  }

  absence(block: Block): Absence | undefined {
    const { seq } = block;
    if (this.#whole.has(seq)) return undefined;
    const why = this.#why(block);
    return { block: seq, ...why };
  }

  #why(block: Block): Omit<Absence, 'block'> {
    const render = entryOf(block.type)?.policy.render ?? 'none';
    if (render === 'none' || !understands(block)) return { because: 'silent' };
    const replaced = this.#replaced.get(block.seq);
    if (replaced?.as === 'hidden') return changed('hidden', replaced.by);
    if (replaced) return changed('pruned', replaced.by);
    return this.#isRecalled(block) ? { because: 'recalled' } : this.#removed(block);
  }

  #isRecalled(block: Block): boolean {
    const { author, path } = block;
    if (author !== 'user' || path === undefined) return false;
    return this.#recalled.has(path) || this.#recalled.has(pathIn(path, this.#turnOf(block)));
  }

  /** An event that arrived between two turns belongs to the next one. */
  #turnOf({ turn, seq }: Block): TurnId {
    if (turn !== noTurn) return turn;
    return [...this.#openings.values()].find((opening) => opening.seq > seq)?.turn ?? turn;
  }

  #removed(block: Block): Omit<Absence, 'block'> {
    // Feedback belongs to the turn that it is about.
    const about = block.type === 'feedback' ? dataOf('feedback', block) : undefined;
    const id = about?.turn_id ?? this.#turnOf(block);
    const turn = this.#turns.get(id);
    const opening = this.#openings.get(id);
    if (!turn) return changed('compacted', opening && this.#changes.removedBy(opening.seq));
    if (isAnswer(this.#past.opened)) return { because: 'record' };
    if (this.#past.view.pruned.has(turn.id)) {
      return changed('pruned', this.#changes.prunedBy(turn.id));
    }
    const place = this.#rounds.get(block.seq);
    if (place?.covered) return changed('compacted', this.#changes.coveredBy(turn.id));
    const isOpen = turn.rounds.some(
      ({ closed, asOf, openSeq }) => !closed && block.seq > Math.min(asOf, openSeq),
    );
    if (isOpen) return { because: 'open_round' };
    const isNamedFile = place !== undefined && isNamed(block, place.round, this.#past.view);
    return { because: isNamedFile ? 'named' : 'empty' };
  }
}

type RoundPlace = { readonly round: RoundView; readonly covered: boolean };

/** By the seq of each block in a round. */
function roundsOf({ turns, covered }: View): ReadonlyMap<number, RoundPlace> {
  const places = turns.flatMap((turn) => {
    const count = covered.get(turn.id)?.rounds ?? 0;
    return turn.rounds.flatMap((round, index) =>
      round.blocks.map(({ seq }) => [seq, { round, covered: index < count }] as const),
    );
  });
  return new Map(places);
}

function changed(because: AbsenceCause, by: number | undefined): Omit<Absence, 'block'> {
  return by === undefined ? { because } : { because, by };
}
