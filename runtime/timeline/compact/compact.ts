import type { Block, Draft } from '../block.ts';
import type { compactCauses } from '../catalogue/compact-schemas.ts';
import { foldAll } from '../fold/fold.ts';
import { type Seq, toSeq } from '../ids.ts';
import { longEventChars } from '../limits.ts';
import { lastForm } from '../render/form.ts';
import { render } from '../render/render.ts';
import { clip, quote } from '../render/text.ts';
import { shortNames } from '../short-names.ts';
import type { TurnView, View } from '../view.ts';
import { compactState } from './compact-state.ts';
import { coveredText } from './covered-rounds.ts';
import { type Cut, coveredAllowance } from './cut.ts';
import { buildMemory, memoryPath } from './memory.ts';

export type CompactCause = (typeof compactCauses)[number];

type CompactInputs = {
  readonly cut: Cut;
  readonly cause: CompactCause;
  /** Summary of the removed turns; required if there are any. */
  readonly summary: string;
  /** Summary of the covered rounds; required if there are any. */
  readonly progress: string;
  /** Tokens that the timeline may have in a prompt. */
  readonly room: number;
  /** ISO time. */
  readonly now: string;
};

export type Compaction = {
  readonly draft: Draft;
  readonly window: Seq;
  /** Tokens of the timeline and SOURCES. */
  readonly before: number;
  readonly after: number;
};

/**
 * The block that removes turns and rounds from the prompt and replaces them by a memory. The caller writes it only if
 * `after` is less than `before`.
 */
export function compact(view: View, turn: TurnView, inputs: CompactInputs): Compaction {
  const before = tokensOf(view);
  const { cut, room, progress } = inputs;
  const path = memoryPath(turn);
  const shown = shortNames(view).path;
  const memory =
    cut.turns.length === 0 ? undefined : buildMemory(view, { ...inputs, path: shown(path) });
  const covered =
    cut.rounds === 0
      ? undefined
      : {
          turn: turn.id,
          rounds: cut.rounds,
          progress,
          text: coveredText(view, turn, {
            ...cut,
            progress,
            tokensMax: coveredAllowance(room),
          }),
        };
  const hidden = new Map(
    cut.long.map((each) => [each, beginningOf(turn, { path: each, shown: shown(each) })]),
  );
  const state = compactState(view, {
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
    text: [memory?.whole, covered?.text, ...cut.long.map((each) => shortened(shown(each)))]
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

/** Views do not change; every round asks for those of its view more than once. */
const counted = new WeakMap<View, number>();

/** Tokens of a prompt without its system text and ANNOUNCE. */
export function tokensOf(view: View): number {
  const known = counted.get(view);
  if (known !== undefined) return known;
  const { tokens } = render(view, { asOf: view.head, announce: '', ...lastForm(view) });
  counted.set(view, tokens);
  return tokens;
}

function shortened(path: string): string {
  return `${path} is shown by its beginning.\n`;
}

function beginningOf(
  { events }: TurnView,
  { path, shown }: { readonly path: string; readonly shown: string },
): string {
  const text = events.find((event) => event.path === path)?.text ?? '';
  return quote(clip(text, longEventChars, shown));
}

function placed(draft: Draft, { head, turns }: View, at: string): Block {
  const conversation = turns[0]?.blocks[0]?.conversation ?? '';
  return { ...draft, conversation, seq: toSeq(head + 1), at, meta: {} };
}
