import type { Block, Draft } from '../block.ts';
import type { compactCauses } from '../catalogue/compact.ts';
import { foldAll } from '../fold/fold.ts';
import { earlierMemoriesMax, longEventChars } from '../limits.ts';
import { paths } from '../paths.ts';
import { render } from '../render/render.ts';
import { clip, quote } from '../render/text.ts';
import { countTokens } from '../tokens.ts';
import type { Kept, KeptRow, TurnView, View } from '../view.ts';
import { type Cut, coveredAllowance, memoryAllowance, summaryAllowance } from './cut.ts';
import { fitRows } from './fit.ts';
import { coveredNotes, coveredText } from './rounds.ts';
import { type Lists, mergeRows, noRows, noteRow, rowsOf } from './rows.ts';
import { stateOf } from './state.ts';
import { memoryText, openPlanRows, pinnedLines, planRows } from './text.ts';

export type CompactCause = (typeof compactCauses)[number];

export type CompactInputs = {
  readonly cut: Cut;
  readonly cause: CompactCause;
  /** Of the turns that go; needed when any do. */
  readonly summary: string;
  /** Of the covered rounds; needed when there are any. */
  readonly progress: string;
  /** Tokens that the timeline may have in a prompt. */
  readonly room: number;
  /** ISO time. */
  readonly now: string;
};

export type Compaction = {
  readonly draft: Draft;
  readonly window: number;
  /** Tokens of the timeline and SOURCES. */
  readonly before: number;
  readonly after: number;
};

/**
 * The block that takes turns and rounds out of the prompt and puts a memory in their place. The caller writes it only
 * if `after` is less than `before`.
 */
export function compact(view: View, turn: TurnView, inputs: CompactInputs): Compaction {
  const before = tokensOf(view);
  const { cut, room } = inputs;
  const path = pathOf(turn);
  const memory = cut.turns.length === 0 ? undefined : remember(view, { ...inputs, path });
  const covered =
    cut.rounds === 0
      ? undefined
      : {
          turn: turn.id,
          rounds: cut.rounds,
          text: coveredText(turn, {
            ...cut,
            progress: inputs.progress,
            tokensMax: coveredAllowance(room),
          }),
        };
  const hidden = new Map(cut.long.map((each) => [each, beginningOf(turn, each)]));
  const state = stateOf(view, {
    window: cut.window,
    ...(memory ? { memory: memory.shown } : {}),
    ...(covered ? { covered } : {}),
    hidden,
  });
  const made = (after: number): Draft => ({
    type: 'view.compact',
    turn: turn.id,
    author: 'system',
    path,
    mime: 'text/markdown',
    text: [memory?.whole, covered?.text, ...cut.long.map(shortened)]
      .filter((text) => text !== undefined)
      .join(''),
    data: {
      cause: inputs.cause,
      window: cut.window,
      covers: { turns: cut.turns.length, rounds: cut.rounds },
      state,
      tokens_before: before,
      tokens_after: after,
    },
  });
  const after = tokensOf(foldAll(view, [placed(made(0), view, inputs.now)]));
  return { draft: made(after), window: cut.window, before, after };
}

/** Tokens of a prompt below its system text, the board at its end aside. */
export function tokensOf(view: View): number {
  return render(view, { asOf: view.head, announce: '' }).tokens;
}

function pathOf({ id, blocks }: TurnView): string {
  const made = blocks.filter(({ type }) => type === 'view.compact').length;
  return paths.memory(id, made + 1);
}

type Gathering = Pick<CompactInputs, 'cut' | 'room'> & { readonly path: string };
type Remembering = Gathering & Pick<CompactInputs, 'summary'>;

/**
 * Lines of the pinned notes that a memory will have, word for word. However long its summary is: the fewer tokens that
 * takes, the more notes there are.
 */
export function notesToCome(
  view: View,
  turn: TurnView,
  { cut, room }: Pick<CompactInputs, 'cut' | 'room'>,
): readonly string[] {
  const summaryTokens = summaryAllowance(room);
  const { all, most } = gather(view, { cut, room, path: pathOf(turn), summaryTokens });
  return pinnedLines(fitRows(all, most).notes);
}

/**
 * Lines of the pinned notes that an agent will see, word for word, when rounds of its open turn are covered: of its
 * memory and of the turn itself.
 */
export function notesInSight(
  view: View,
  turn: TurnView,
  { cut, room }: Pick<CompactInputs, 'cut' | 'room'>,
): readonly string[] {
  const { rounds } = cut;
  const before =
    cut.turns.length === 0
      ? pinnedLines(view.memory?.kept.notes ?? [])
      : notesToCome(view, turn, { cut, room });
  const covered = coveredNotes(turn, { rounds, tokensMax: coveredAllowance(room) });
  const later = turn.rounds.slice(rounds).flatMap(({ blocks }) => blocks.flatMap(noteRow));
  return [...new Set([...before, ...pinnedLines([...covered, ...later])])];
}

/** `whole` is what the path is read as: every row of before and now. `shown` is what there is room for in a prompt. */
function remember(view: View, { cut, room, path, summary }: Remembering) {
  // Whatever it takes: the notes that its model was told of have their room.
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

type Fitted = { readonly fitted: Lists; readonly before: Kept['more'] };

/** By list, how many rows there was no room for, now or earlier. Memories before it are named by the newest of them. */
function lacking(all: Lists, { fitted, before = {} }: Fitted): Readonly<Record<string, number>> {
  const kinds = ['turns', 'events', 'notes', 'files', 'skills', 'results', 'plans'] as const;
  const counts = kinds.map(
    (kind) => [kind, all[kind].length - fitted[kind].length + (before[kind] ?? 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** What there is to be remembered, and the tokens that its rows may take beside a summary of so many. */
function gather(
  view: View,
  { cut, room, path, summaryTokens }: Gathering & { readonly summaryTokens: number },
) {
  const before = view.memory?.kept;
  const rows = mergeRows(before, rowsOf(cut.turns));
  const last = cut.turns.at(-1);
  const kept: Kept = {
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

/** The memory that is replaced stays readable: it names what the new one has no room for. */
function earlierThan({ memory }: View): readonly KeptRow[] {
  if (!memory) return [];
  const { count, since, until } = memory.kept;
  const text = `${count} turns, ${since.slice(0, 16)} to ${until.slice(0, 16)}`;
  return [...memory.kept.earlier, { ref: memory.path, text }].slice(-earlierMemoriesMax);
}

function shortened(path: string): string {
  return `${path} is shown by its beginning.\n`;
}

function beginningOf({ events }: TurnView, path: string): string {
  const text = events.find((event) => event.path === path)?.text ?? '';
  return quote(clip(text, longEventChars, path));
}

function placed(draft: Draft, { head, turns }: View, at: string): Block {
  const conversation = turns[0]?.blocks[0]?.conversation ?? '';
  return { ...draft, conversation, seq: head + 1, at, meta: {} };
}
