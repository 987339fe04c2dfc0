import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { type Seq, toSeq } from '../ids.ts';
import { cacheLookBackParts } from '../limits.ts';
import { checkpoints } from '../render/checkpoints.ts';
import { formOfRound } from '../render/form.ts';
import { contentOf } from '../render/parts.ts';
import { timelineSegments } from '../render/render.ts';
import { sourcesSection } from '../render/sources-section.ts';
import type { View } from '../view.ts';

/** One part of a request as a provider's cache sees it: equal keys mean equal bytes. `tokens` by our own count. */
export type RequestPart = {
  readonly in: 'system' | 'timeline' | 'tail';
  readonly key: string;
  readonly tokens: number;
  readonly turn: string | undefined;
  /** Seqs of the blocks in this part; empty for the system text and the tail. */
  readonly blocks: readonly number[];
  /** Set on the first part of a round: the previous request ended here. */
  readonly opensRound?: true;
};

/** The request of one round to the model. */
export type Request = {
  readonly opened: Block;
  readonly asOf: Seq;
  readonly parts: readonly RequestPart[];
  /** Part counts after which a provider with marks keeps an entry. */
  readonly entries: readonly number[];
};

/** Rebuilds the request of a `round.open`. `view`: the log up to the last block that the round had seen. */
export function toRequest(view: View, opened: Block): Request {
  const { hashes, tokens, as_of: asOf = 0 } = dataOf('round.open', opened) ?? {};
  const beside = { turn: undefined, blocks: [] };
  const key = `${hashes?.system ?? ''}${hashes?.offer ?? ''}`;
  const system = { in: 'system', key, tokens: tokens?.system ?? 0 } as const;
  const tail = sourcesSection(view).tokens + (tokens?.announce ?? 0);
  const segments = timelineSegments(view, toSeq(asOf), formOfRound(opened.data));
  return {
    opened,
    asOf: toSeq(asOf),
    entries: [1, ...[...checkpoints(segments)].map((index) => index + 2)],
    parts: [
      { ...system, ...beside },
      ...segments.map(
        ({ part, tokens: counted, turn, blocks, opensRound }): RequestPart => ({
          in: 'timeline',
          key: contentOf(part),
          tokens: counted,
          turn,
          blocks,
          ...(opensRound ? { opensRound } : {}),
        }),
      ),
      { in: 'tail', key: '', tokens: tail, ...beside },
    ],
  };
}

/** The number of leading parts that both requests have in common, without the tail. */
export function commonParts(before: Request, now: Request): number {
  const differs = now.parts.findIndex((part, index) => {
    const was = before.parts[index];
    return part.in === 'tail' || part.in !== was?.in || part.key !== was.key;
  });
  return differs < 0 ? now.parts.length : differs;
}

/** The last of these entries that a provider finds; it looks back only a limited number of parts from each mark. 0: none. */
export function keptParts(entries: readonly number[], { entries: marks }: Request): number {
  const found = entries.filter((parts) =>
    marks.some((mark) => mark >= parts && mark - parts < cacheLookBackParts),
  );
  return Math.max(0, ...found);
}
