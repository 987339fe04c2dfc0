import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { cacheLookBackParts } from '../limits.ts';
import { checkpoints } from '../render/checkpoints.ts';
import { timelineSegments } from '../render/render.ts';
import { sourcesSection } from '../render/sources-section.ts';
import type { View } from '../view.ts';

/** One part of a request as a provider's cache sees it: the same key, the same bytes. `tokens` by our own count. */
export type RequestPart = {
  readonly in: 'system' | 'timeline' | 'tail';
  readonly key: string;
  readonly tokens: number;
  readonly turn: string | undefined;
  /** Seqs of the blocks it shows; none in the system text and in the tail. */
  readonly blocks: readonly number[];
  /** Set on the first part of a round: the request before it ended here. */
  readonly opensRound?: true;
};

/** What one round asked the model. */
export type Request = {
  readonly opened: Block;
  readonly asOf: number;
  readonly parts: readonly RequestPart[];
  /** Numbers of parts, from the first, after which a provider with marks keeps an entry. */
  readonly entries: readonly number[];
};

/** The request of a `round.open`, made again. `view`: the log up to what the round had seen. */
export function toRequest(view: View, opened: Block): Request {
  const { hashes, tokens, as_of: asOf = 0 } = dataOf('round.open', opened) ?? {};
  const beside = { turn: undefined, blocks: [] };
  const system = { in: 'system', key: hashes?.system ?? '', tokens: tokens?.system ?? 0 } as const;
  const tail = sourcesSection(view).tokens + (tokens?.announce ?? 0);
  const segments = timelineSegments(view, asOf);
  return {
    opened,
    asOf,
    entries: [1, ...[...checkpoints(segments)].map((index) => index + 2)],
    parts: [
      { ...system, ...beside },
      ...segments.map(
        ({ part, tokens: counted, turn, blocks, opensRound }): RequestPart => ({
          in: 'timeline',
          key: part.kind === 'text' ? part.text : part.blob.hash,
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

/** How many parts, from the first, the two have in common; the tail is never one of them. */
export function commonParts(before: Request, now: Request): number {
  const differs = now.parts.findIndex((part, index) => {
    const was = before.parts[index];
    return part.in === 'tail' || part.in !== was?.in || part.key !== was.key;
  });
  return differs < 0 ? now.parts.length : differs;
}

/** The last of these entries that a provider finds: from each mark it looks back only so far. 0: none. */
export function keptParts(entries: readonly number[], { entries: marks }: Request): number {
  const found = entries.filter((parts) =>
    marks.some((mark) => mark >= parts && mark - parts < cacheLookBackParts),
  );
  return Math.max(0, ...found);
}
