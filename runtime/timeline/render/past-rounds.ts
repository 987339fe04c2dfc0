import { z } from 'zod';
import type { Block } from '../block.ts';
import { emptyView, foldAll } from '../fold/fold.ts';
import type { View } from '../view.ts';
import { type RenderPart, render } from './render.ts';

const RoundOpenData = z.looseObject({
  round: z.number(),
  as_of: z.number(),
  renderer: z.string(),
  hashes: z.looseObject({ system: z.string(), announce: z.string(), policy: z.string() }),
  prompt: z.string().optional(),
});
export type Opened = z.output<typeof RoundOpenData>;

/** A round as it was when it began: what its prompt was made of. */
export type PastRound = {
  readonly open: Block;
  readonly opened: Opened;
  /** The fold of the log up to what the model was shown. */
  readonly view: View;
};

/** Every round of a log that says what went into its prompt, in order. The log is folded once. */
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

/** The round opened at a block or last before it; undefined where there is none. */
export function roundAt(blocks: readonly Block[], seq: number): PastRound | undefined {
  let found: PastRound | undefined;
  for (const round of pastRounds(blocks.filter((block) => block.seq <= seq))) found = round;
  return found;
}

/** The prompt of a past round below its system text, byte for byte. `announce` is the text kept under its hash. */
export function renderPastRound(
  { opened, view }: PastRound,
  announce: string,
): { readonly parts: readonly RenderPart[]; readonly tokens: number } {
  return render(view, { asOf: opened.as_of, announce });
}
