import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { isSettled, lastSeenSeq } from '../fold/recall.ts';
import { type Seq, toSeq } from '../ids.ts';
import {
  compactForcedShare,
  compactKeptShare,
  compactRecentShare,
  coveredShare,
  coveredTokensMax,
  longEventShare,
  longEventTokens,
  memoryShare,
  memoryTokensMax,
  summaryTokensMax,
} from '../limits.ts';
import { toItem } from '../render/items.ts';
import { timelineSegments } from '../render/render.ts';
import { countTokens } from '../tokens.ts';
import type { RoundView, TurnView, View } from '../view.ts';

type CutInputs = {
  /** Tokens available for the timeline: the limit without the system text, the reserved output and the sections at the end. */
  readonly room: number;
  /** Number of turns, with the open one, that stay complete if they fit. */
  readonly recentTurns: number;
  /** The provider rejected the prompt, so our count is wrong: less than half may stay. */
  readonly forced: boolean;
};

/** What a compaction removes from the prompt. Only whole turns and whole rounds: never a call without its result (I4). */
export type Cut = {
  /** The oldest turns of the view. */
  readonly turns: readonly TurnView[];
  /** The first rounds of the open turn; 0: none. */
  readonly rounds: number;
  /** Paths of very long messages of the open turn; only their beginning will be shown. */
  readonly long: readonly string[];
  /** Seq of the first block of the turn from which readers must fold afterwards. */
  readonly window: Seq;
};

/** Undefined: nothing can be removed. */
export function chooseCut(view: View, inputs: CutInputs): Cut | undefined {
  const { openTurn } = view;
  if (!openTurn) return undefined;
  const weights = weigh(view, openTurn);
  const first = Math.min(firstKept(view, { weights, inputs }), firstUnread(view));
  const keptOpen =
    first === view.turns.length - 1 ? openCut(view, openTurn, { weights, inputs }) : none;
  const { rounds } = keptOpen;
  const more = rounds > (view.covered.get(openTurn.id)?.rounds ?? 0) || keptOpen.long.length > 0;
  if (first === 0 && !more) return undefined;
  const kept = view.turns[first] ?? openTurn;
  // Events that waited for the turn are before its `turn.open`.
  const window = toSeq(Math.min(kept.openSeq, kept.blocks[0]?.seq ?? kept.openSeq));
  return { turns: view.turns.slice(0, first), ...keptOpen, rounds: more ? rounds : 0, window };
}

const none = { rounds: 0, long: [] as readonly string[] };

/** Tokens of each turn and, for the open turn, of each round with the events after it. */
type Weights = {
  readonly all: number;
  readonly turns: ReadonlyMap<string, number>;
  /** By round number; 0 is the text before the first round. */
  readonly rounds: ReadonlyMap<number, number>;
};

function weigh(view: View, open: TurnView): Weights {
  const turns = new Map<string, number>();
  const rounds = new Map<number, number>();
  let all = 0;
  let begun = 0;
  const starts = new Map(open.rounds.map(({ openSeq, number }) => [openSeq, number]));
  for (const { turn, tokens, blocks } of timelineSegments(view, view.head)) {
    all += tokens;
    turns.set(turn, (turns.get(turn) ?? 0) + tokens);
    if (turn !== open.id) continue;
    begun = starts.get(toSeq(blocks[0] ?? 0)) ?? begun;
    rounds.set(begun, (rounds.get(begun) ?? 0) + tokens);
  }
  return { all, turns, rounds };
}

type Choice = { readonly weights: Weights; readonly inputs: CutInputs };

/** Index of the oldest turn that stays: as many as fit, and the recent ones if possible. */
function firstKept({ turns }: View, { weights, inputs }: Choice): number {
  const most = targetOf(weights, inputs) - memoryAllowance(inputs.room);
  const tokens = turns.map(({ id }) => weights.turns.get(id) ?? 0);
  let first = turns.length - 1;
  let sum = tokens[first] ?? 0;
  while (first > 0 && sum + (tokens[first - 1] ?? 0) <= most) {
    first -= 1;
    sum += tokens[first] ?? 0;
  }
  const recent = Math.max(0, turns.length - inputs.recentTurns);
  const recentTokens = tokens.slice(recent).reduce((total, each) => total + each, 0);
  const fits = recentTokens <= inputs.room * compactRecentShare - memoryAllowance(inputs.room);
  return fits && !inputs.forced ? Math.min(first, recent) : first;
}

/** Index of the oldest turn with an event that no round has seen. Such an event stays unchanged, because it may be recalled. */
function firstUnread({ turns }: View): number {
  const seen = lastSeenSeq(turns);
  const isUnread = (event: Block) => event.seq > seen && !isSettled(turns, event);
  const index = turns.findIndex(({ events }) => events.some(isUnread));
  return index < 0 ? turns.length - 1 : index;
}

/** Target size of the timeline after a compaction, in tokens. */
function targetOf({ all }: Weights, { room, forced }: CutInputs): number {
  return forced ? Math.min(all, room) * compactForcedShare : room * compactKeptShare;
}

export function memoryAllowance(room: number): number {
  return Math.min(memoryTokensMax, Math.floor(room * memoryShare));
}

/** A summary takes at most half of its memory. */
export function summaryAllowance(room: number): number {
  return Math.min(summaryTokensMax, Math.floor(memoryAllowance(room) / 2));
}

export function coveredAllowance(room: number): number {
  return Math.min(coveredTokensMax, Math.floor(room * coveredShare));
}

/** The fewest rounds to cover so that the open turn fits; if that is not enough, its long messages are cut too. */
function openCut(
  view: View,
  open: TurnView,
  { weights, inputs }: Choice,
): Pick<Cut, 'rounds' | 'long'> {
  const most = targetOf(weights, inputs) - memoryAllowance(inputs.room);
  const before = view.covered.get(open.id)?.rounds ?? 0;
  const left = (covered: number) =>
    [...weights.rounds].reduce(
      (sum, [round, tokens]) => (round === 0 || round > covered ? sum + tokens : sum),
      0,
    );
  if (left(before) <= most) return none;
  const room = most - coveredAllowance(inputs.room);
  const closed = coverable(open);
  let rounds = before;
  while (rounds < closed && left(rounds) > room) rounds += 1;
  const long = left(rounds) > room ? longEvents(view, open, inputs.room) : [];
  return { rounds, long };
}

/**
 * How many of the first rounds may be covered: closed rounds that a prompt has shown, but no violations at the end,
 * because the model must still see what was wrong with them.
 */
function coverable(open: TurnView): number {
  const seen = lastSeenSeq([open]);
  const shown = open.rounds.findIndex(({ closed, blocks }) => {
    return !closed || (blocks.at(-1)?.seq ?? 0) > seen;
  });
  const unread = open.rounds.findLastIndex((round) => !isViolation(round)) + 1;
  return Math.min(shown < 0 ? open.rounds.length : shown, unread);
}

function isViolation({ blocks }: RoundView): boolean {
  const close = blocks.findLast(({ type }) => type === 'round.close');
  return close !== undefined && dataOf('round.close', close)?.outcome === 'violation';
}

function longEvents(view: View, { events }: TurnView, room: number): readonly string[] {
  const least = Math.min(longEventTokens, room * longEventShare);
  return events.flatMap((event) => {
    const { path, type } = event;
    // The prompt shows only the beginning of attachments anyway.
    if (path === undefined || type === 'user.attachment' || view.hidden.has(path)) return [];
    return countTokens(toItem(event, view)?.text ?? '') >= least ? [path] : [];
  });
}
