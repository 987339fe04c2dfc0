import { z } from 'zod';
import type { Block } from '../block.ts';
import { emptyView, foldAll } from '../fold/fold.ts';
import { type Seq, toSeq } from '../ids.ts';
import { answerPhase } from '../prompt-rounds.ts';
import type { View } from '../view.ts';
import { formOfRound, rendererVersions } from './form.ts';
import { type RenderPart, render } from './render.ts';
import { renderTrace, traceVersion } from './trace.ts';

const RoundOpenData = z.looseObject({
  round: z.number(),
  as_of: z.number(),
  renderer: z.string(),
  hashes: z.looseObject({
    system: z.string(),
    announce: z.string(),
    policy: z.string(),
    offer: z.string().optional(),
  }),
  prompt: z.string().optional(),
  phase: z.string().default('decision'),
  /** Of an answer: tokens of its record, and whether it was judged before it was shown. */
  room: z.number().default(0),
  held: z.boolean().default(false),
});
export type RoundOpening = z.output<typeof RoundOpenData>;

/** A past round and the inputs of its prompt. */
export type PastRound = {
  readonly open: Block;
  readonly opened: RoundOpening;
  /** The view of the log up to the last block that the model had seen. */
  readonly view: View;
};

/** Every round of a log that records the inputs of its prompt, in order. Folds the log once. */
export function* pastRounds(blocks: readonly Block[]): Generator<PastRound> {
  let view = emptyView;
  let from = 0;
  for (const open of blocks) {
    const parsed = open.type === 'round.open' ? RoundOpenData.safeParse(open.data) : undefined;
    if (!parsed?.success) continue;
    const until = blocks.findIndex(({ seq }, index) => index >= from && seq > parsed.data.as_of);
    view = foldAll(view, blocks.slice(from, until));
    from = until;
    yield { open, opened: parsed.data, view };
  }
}

/** The last round that was opened at or before a block; undefined if there is none. */
export function roundAt(blocks: readonly Block[], seq: Seq): PastRound | undefined {
  let found: PastRound | undefined;
  for (const round of pastRounds(blocks.filter((block) => block.seq <= seq))) found = round;
  return found;
}

/** The version by which this program renders the prompt of such a round. */
export function rendererOf({ open, opened }: PastRound): string {
  return isAnswer(opened) ? traceVersion : rendererVersions[formOfRound(open.data).as];
}

/** The round wrote the answer of its turn. */
export function isAnswer({ phase }: Pick<RoundOpening, 'phase'>): boolean {
  return phase === answerPhase;
}

/** The prompt of a past round after its system text, byte for byte. `announce` is the text stored under its hash: of an answer, the request. */
export function renderPastRound(
  { open, opened, view }: PastRound,
  announce: string,
): { readonly parts: readonly RenderPart[]; readonly tokens: number } {
  if (isAnswer(opened)) {
    return renderTrace(view, { tokensMax: opened.room, request: announce });
  }
  return render(view, { asOf: toSeq(opened.as_of), announce, ...formOfRound(open.data) });
}
