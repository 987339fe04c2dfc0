import type { Block } from '../block.ts';
import type { ApprovalView, CallView, RoundView, TurnView, View } from '../view.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

export type MutableRound = Omit<Writable<RoundView>, 'blocks' | 'calls'> & {
  readonly blocks: Block[];
  readonly calls: CallView[];
};

type Lists = 'events' | 'rounds' | 'completions' | 'approvals' | 'blocks';

type MutableTurnView = Omit<Writable<TurnView>, Lists> & {
  readonly events: Block[];
  readonly rounds: RoundView[];
  readonly completions: Block[];
  readonly approvals: ApprovalView[];
  readonly blocks: Block[];
};

/** A turn that this fold may change, with its own arrays. Closed rounds are shared with older views. */
export type MutableTurn = {
  readonly turn: MutableTurnView;
  /** The last round of the turn, copied, while it is open. */
  openRound: MutableRound | undefined;
};

/** A view that a fold changes. Turns are shared with older views until the first change. */
export type MutableView = Omit<Writable<View>, 'turns' | 'openTurn'> & {
  readonly turns: TurnView[];
  readonly owned: Map<string, MutableTurn>;
};

export function toMutableView(view: View): MutableView {
  const { turns, openTurn: _, ...pools } = view;
  return { ...pools, turns: [...turns], owned: new Map() };
}

/** A mutable copy of the turn of a block. A turn without a `turn.open` begins with its first block. */
export function mutableTurn(work: MutableView, block: Block): MutableTurn {
  const known = work.owned.get(block.turn);
  if (known) return known;
  const index = work.turns.findLastIndex((turn) => turn.id === block.turn);
  const before = work.turns[index];
  const made = before ? copyTurn(before) : newTurn(block);
  if (before) work.turns[index] = made.turn;
  else work.turns.push(made.turn);
  work.owned.set(block.turn, made);
  return made;
}

function newTurn({ turn: id, seq: openSeq, at: openedAt }: Block): MutableTurn {
  const lists = { events: [], rounds: [], completions: [], approvals: [], blocks: [] };
  const turn = {
    id,
    openSeq,
    openedAt,
    data: null,
    closed: undefined,
    summary: undefined,
    ...lists,
  };
  return { turn, openRound: undefined };
}

function copyTurn(before: TurnView): MutableTurn {
  const rounds = [...before.rounds];
  const last = rounds.at(-1);
  const openRound = last && !last.closed ? copyRound(last) : undefined;
  if (openRound) rounds[rounds.length - 1] = openRound;
  const turn = {
    ...before,
    rounds,
    events: [...before.events],
    completions: [...before.completions],
    approvals: [...before.approvals],
    blocks: [...before.blocks],
  };
  return { turn, openRound };
}

function copyRound(round: RoundView): MutableRound {
  return { ...round, blocks: [...round.blocks], calls: [...round.calls] };
}
