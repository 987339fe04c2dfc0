import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { unitsOf } from '../fold/fold-pool.ts';
import type { Seq, TurnId } from '../ids.ts';

/** The blocks that changed how a prompt shows earlier blocks, each as its seq. */
export type ViewChanges = {
  /** The block that replaced the text under this path. */
  readonly hiddenBy: (path: string) => number | undefined;
  /** The block that shortened this turn. */
  readonly prunedBy: (turn: TurnId) => number | undefined;
  /** The compaction that removed the turn which began at this block. */
  readonly removedBy: (turnOpen: Seq) => number | undefined;
  /** The compaction that replaced the first rounds of this turn. */
  readonly coveredBy: (turn: TurnId) => number | undefined;
};

/** Reads the changes of a log up to its end. */
export function viewChanges(blocks: readonly Block[]): ViewChanges {
  const changes: Changes = {
    hidden: new Map(),
    pruned: new Map(),
    covered: new Map(),
    windows: [],
  };
  for (const block of blocks) readers[block.type]?.(changes, block);
  const { hidden, pruned, covered, windows } = changes;
  return {
    hiddenBy: (path) => hidden.get(path),
    prunedBy: (turn) => pruned.get(turn),
    removedBy: (turnOpen) => windows.find(({ window }) => window > turnOpen)?.seq,
    coveredBy: (turn) => covered.get(turn),
  };
}

type Changes = {
  readonly hidden: Map<string, number>;
  readonly pruned: Map<string, number>;
  readonly covered: Map<string, number>;
  readonly windows: { readonly seq: number; readonly window: number }[];
};

const readers: Readonly<Record<string, (changes: Changes, block: Block) => void>> = {
  'view.hide': ({ hidden }, block) => {
    const { path } = dataOf('view.hide', block) ?? {};
    for (const unit of path === undefined ? [] : unitsOf(path)) hidden.set(unit, block.seq);
  },
  'view.unhide': ({ hidden }, block) => {
    const { path } = dataOf('view.unhide', block) ?? {};
    for (const unit of path === undefined ? [] : unitsOf(path)) hidden.delete(unit);
  },
  'view.prune': ({ hidden, pruned }, block) => {
    const { turns = [], paths = [] } = dataOf('view.prune', block) ?? {};
    for (const { turn } of turns) pruned.set(turn, block.seq);
    for (const { path } of paths) hidden.set(path, block.seq);
  },
  'view.compact': ({ hidden, pruned, covered, windows }, block) => {
    const data = dataOf('view.compact', block);
    if (!data) return;
    const { seq } = block;
    windows.push({ seq, window: data.window });
    restate(hidden, { names: data.state.hidden.map(({ path }) => path), seq });
    restate(pruned, { names: data.state.pruned.map(({ turn }) => turn), seq });
    if (data.covers.rounds > 0) covered.set(block.turn, seq);
  },
};

type Restated = { readonly names: readonly string[]; readonly seq: number };

/** A compaction states everything that is still in force; what is new in it was its own change. */
function restate(changes: Map<string, number>, { names, seq }: Restated): void {
  const kept = new Set(names);
  for (const name of changes.keys()) if (!kept.has(name)) changes.delete(name);
  for (const name of names) if (!changes.has(name)) changes.set(name, seq);
}
