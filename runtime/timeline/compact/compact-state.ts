import type { z } from 'zod';
import type { stateSchema } from '../catalogue/compact-schemas.ts';
import type { TurnId } from '../ids.ts';
import { keptPlansMax, keptPulledMax, keptSourceChars } from '../limits.ts';
import { parsePath } from '../paths.ts';
import { isOpen } from '../plans/plan-text.ts';
import type {
  CoveredRounds,
  MemoryContents,
  PlanSnapshot,
  SourceRow,
  View,
  VisibleTools,
} from '../view.ts';

type CompactState = z.infer<typeof stateSchema>;

type Change = {
  /** Seq of the first block that stays. */
  readonly window: number;
  /** Absent: the memory does not change. */
  readonly memory?: { readonly text: string; readonly kept: MemoryContents };
  readonly covered?: CoveredRounds & { readonly turn: TurnId };
  /** Replacement texts of paths that will be hidden. */
  readonly hidden: ReadonlyMap<string, string>;
};

/** The accumulators of a fold after a compaction, without data that only concerns removed turns. */
export function compactState(view: View, change: Change): CompactState {
  const stays = new Set(
    view.turns.filter(({ openSeq }) => openSeq >= change.window).map(({ id }) => id),
  );
  const gone = view.turns.filter(({ id }) => !stays.has(id)).map(({ id }) => id);
  const memory = change.memory ?? view.memory;
  const covered = [...view.covered].map(([turn, before]) => ({ turn, ...before }));
  const recovered = change.covered ? [change.covered] : [];
  return {
    turns: [...view.earlierTurns, ...gone],
    ...(memory ? { memory: { ...memory } } : {}),
    covered: [...covered.filter(({ turn }) => turn !== change.covered?.turn), ...recovered].filter(
      ({ turn }) => stays.has(turn),
    ),
    plans: carriedPlans(view.plans),
    sources: view.sources.map(carriedSource),
    hidden: [...view.hidden, ...change.hidden]
      .filter(([path]) => isShown(path, stays))
      .map(([path, text]) => ({ path, text })),
    pruned: [...view.pruned]
      .filter(([turn]) => stays.has(turn))
      .map(([turn, text]) => ({ turn, text })),
    pulled: [...view.pulled].slice(-keptPulledMax),
    standing: [...view.toolDecisions].map(([tool, allowed]) => ({ tool, allowed })),
    visible: [...view.visible].map(([agent, tools]) => carriedTools(agent, tools, stays)),
    feedback: [...view.feedback],
  };
}

/** The prompt after a compaction describes the visible tools again. */
function carriedTools(
  agent: string,
  { groups, selection }: VisibleTools,
  stays: ReadonlySet<string>,
): CompactState['visible'][number] {
  const kept = selection && stays.has(selection.turn) ? selection : undefined;
  return {
    agent,
    groups: [...groups],
    ...(kept ? { selection: { turn: kept.turn, tools: [...kept.tools] } } : {}),
  };
}

/** All open plans, and the newest of the others. */
function carriedPlans(plans: readonly PlanSnapshot[]): PlanSnapshot[] {
  const past = plans.filter((plan) => !isOpen(plan)).slice(-keptPlansMax);
  return plans.filter((plan) => isOpen(plan) || past.includes(plan));
}

/** Keeps only the part of a source that a prompt may show. */
function carriedSource(row: SourceRow): SourceRow {
  const { text = '' } = row;
  if (text.length <= keptSourceChars) return row;
  return { ...row, text: text.slice(0, keptSourceChars).toWellFormed(), cut: true };
}

/** Paths without a turn, such as sources, are always kept. */
function isShown(text: string, stays: ReadonlySet<string>): boolean {
  const path = parsePath(text);
  return path !== undefined && (!('turn' in path) || stays.has(path.turn));
}
