import type { Block, Draft } from '../block.ts';
import type { compactCauses } from '../catalogue/compact.ts';
import { foldAll } from '../fold/fold.ts';
import { earlierMemoriesMax, longEventChars } from '../limits.ts';
import { paths } from '../paths.ts';
import { render } from '../render/render.ts';
import { clip, quote } from '../render/text.ts';
import { countTokens } from '../tokens.ts';
import type { Kept, KeptRow, TurnView, View } from '../view.ts';
import { type Cut, coveredAllowance, memoryAllowance } from './cut.ts';
import { fitRows } from './fit.ts';
import { coveredText } from './rounds.ts';
import { mergeRows, noRows, rowsOf } from './rows.ts';
import { stateOf } from './state.ts';
import { memoryText, planRows, plansToName } from './text.ts';

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

type Remembering = CompactInputs & { readonly path: string };

/** `whole` is what the path is read as: every row of before and now. `shown` is what there is room for in a prompt. */
function remember(view: View, { cut, room, path, summary }: Remembering) {
  const before = view.memory?.kept;
  const rows = mergeRows(before, rowsOf(cut.turns));
  const last = cut.turns.at(-1);
  const kept: Kept = {
    ...rows,
    summary,
    count: (before?.count ?? 0) + cut.turns.length,
    since: before?.since ?? cut.turns[0]?.openedAt ?? '',
    until: last?.openedAt ?? before?.until ?? '',
    earlier: earlierThan(view),
  };
  const bare = memoryText({ ...kept, ...noRows }, { path, plans: [] });
  const all = { ...rows, plans: planRows(plansToName(view.plans)), earlier: kept.earlier };
  const fitted = fitRows(all, memoryAllowance(room) - countTokens(bare));
  const { plans, earlier, ...shown } = fitted;
  return {
    whole: memoryText(kept, { path, plans: planRows(view.plans) }),
    shown: {
      text: memoryText({ ...kept, ...shown, earlier }, { path, plans }),
      kept: { ...kept, ...shown },
    },
  };
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
