import { earlierMemoriesMax } from '../limits.ts';
import { type BlockPath, paths } from '../paths.ts';
import { quote } from '../render/text.ts';
import { shortNames } from '../short-names.ts';
import { countTokens } from '../tokens.ts';
import type { MemoryContents, MemoryRow, TurnView, View } from '../view.ts';
import { coveredNotes } from './covered-rounds.ts';
import { type Cut, coveredAllowance, memoryAllowance, summaryAllowance } from './cut.ts';
import { fitRows } from './fit.ts';
import { type MemoryLists, mergeRows, noRows, noteRow, rowsOf } from './memory-rows.ts';
import {
  memoryText,
  openPlanRows,
  pinnedLines,
  planRows,
  timesOf,
  turnsOf,
} from './memory-text.ts';

/** The path of the next memory of a turn. */
export function memoryPath({ id, blocks }: TurnView): BlockPath {
  const made = blocks.filter(({ type }) => type === 'view.compact').length;
  return paths.memory(id, made + 1);
}

type Cutting = { readonly cut: Cut; readonly room: number };
type Gathering = Cutting & { readonly path: string };
type Remembering = Gathering & { readonly summary: string };

/**
 * Lines of the pinned notes that the next memory will contain, word for word. Assumes the longest possible summary: a
 * shorter one leaves room for more notes.
 */
export function upcomingNotes(
  view: View,
  turn: TurnView,
  { cut, room }: Cutting,
): readonly string[] {
  const summaryTokens = summaryAllowance(room);
  const { all, most } = gather(view, {
    cut,
    room,
    path: shortNames(view).path(memoryPath(turn)),
    summaryTokens,
  });
  return pinnedLines(fitRows(all, most).notes);
}

/**
 * Lines of the pinned notes that an agent will see, word for word, after rounds of its open turn are covered: those of
 * its memory and of the turn itself.
 */
export function visibleNotes(
  view: View,
  turn: TurnView,
  { cut, room }: Cutting,
): readonly string[] {
  const { rounds } = cut;
  const before =
    cut.turns.length === 0
      ? pinnedLines(view.memory?.kept.notes ?? [])
      : upcomingNotes(view, turn, { cut, room });
  const covered = coveredNotes(turn, { rounds, tokensMax: coveredAllowance(room) });
  const later = turn.rounds.slice(rounds).flatMap(({ blocks }) => blocks.flatMap(noteRow));
  return [...new Set([...before, ...pinnedLines([...covered, ...later])])];
}

/** `whole` is the text under the path: all earlier and new rows. `shown` is the part that fits into a prompt. */
export function buildMemory(view: View, { cut, room, path, summary }: Remembering) {
  // The notes named in the summary prompt always fit: see `upcomingNotes`.
  const summaryTokens = Math.min(countTokens(quote(summary)), summaryAllowance(room));
  const { all, most, ...gathered } = gather(view, { cut, room, path, summaryTokens });
  const kept = { ...gathered.kept, summary };
  const fitted = fitRows(all, most);
  const { plans, earlier, ...shown } = fitted;
  const more = lacking(all, { fitted, before: view.memory?.kept.more });
  const { plans: _, ...lost } = more;
  return {
    whole: memoryText(kept, {
      path,
      plans: planRows(view.plans),
      where: 'the memories before it',
    }),
    shown: {
      text: memoryText({ ...kept, ...shown, earlier, more }, { path, plans }),
      kept: { ...kept, ...shown, more: lost },
    },
  };
}

type Fitted = { readonly fitted: MemoryLists; readonly before: MemoryContents['more'] };

/** By list: the number of rows that did not fit, now or earlier. Earlier memories are not counted: the newest one names them. */
function lacking(
  all: MemoryLists,
  { fitted, before = {} }: Fitted,
): Readonly<Record<string, number>> {
  const kinds = ['turns', 'events', 'notes', 'files', 'skills', 'results', 'plans'] as const;
  const counts = kinds.map(
    (kind) => [kind, all[kind].length - fitted[kind].length + (before[kind] ?? 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** All rows of the new memory, and the tokens available for them besides the summary. */
function gather(
  view: View,
  { cut, room, path, summaryTokens }: Gathering & { readonly summaryTokens: number },
) {
  const before = view.memory?.kept;
  const rows = mergeRows(before, rowsOf(view, cut.turns));
  const last = cut.turns.at(-1);
  const kept: MemoryContents = {
    ...rows,
    summary: '',
    count: (before?.count ?? 0) + cut.turns.length,
    since: before?.since ?? cut.turns[0]?.openedAt ?? '',
    until: last?.openedAt ?? before?.until ?? '',
    earlier: earlierThan(view),
    ...(before?.more ? { more: before.more } : {}),
  };
  const bare = memoryText({ ...kept, ...noRows, more: {} }, { path, plans: [] });
  const all = { ...rows, plans: openPlanRows(view.plans), earlier: kept.earlier };
  return { kept, all, most: memoryAllowance(room) - countTokens(bare) - summaryTokens };
}

/** The replaced memory stays readable: it contains the rows that do not fit into the new one. */
function earlierThan(view: View): readonly MemoryRow[] {
  const { memory } = view;
  if (!memory) return [];
  const text = `${turnsOf(memory.kept)}, ${timesOf(memory.kept)}`;
  return [...memory.kept.earlier, { ref: shortNames(view).path(memory.path), text }].slice(
    -earlierMemoriesMax,
  );
}
