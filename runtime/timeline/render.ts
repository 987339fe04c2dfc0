import { checkpoints } from './checkpoints.ts';
import { renderTurn } from './render-turn.ts';
import type { RenderPart, Segment } from './segments.ts';
import { sourcesSection } from './sources-section.ts';
import { countTokens } from './tokens.ts';
import type { View } from './view.ts';

export type { RenderPart } from './segments.ts';

/** Goes into every `round.open`: with another version the same log may give other bytes. */
export const rendererVersion = 'timeloom-render-1';

export type RenderInputs = {
  /** Seq of the last block that may be seen. */
  readonly asOf: number;
  /** The text of ANNOUNCE. */
  readonly announce: string;
  /** Only so many images, the newest, are attached. Absent: all. Any change breaks the prefix, so it belongs to a cold moment. */
  readonly recentImages?: number;
};

/** The prompt below the system text: the timeline with its checkpoints, then SOURCES and ANNOUNCE, which no cache keeps. */
export function render(
  view: View,
  { asOf, announce, recentImages }: RenderInputs,
): { readonly parts: readonly RenderPart[]; readonly tokens: number } {
  const segments = withImages(timelineSegments(view, asOf), recentImages);
  const marks = checkpoints(segments);
  const parts = segments.map(({ part }, index) =>
    marks.has(index) ? { ...part, checkpoint: true as const } : part,
  );
  const sources = sourcesSection(view);
  const tail = [sources.text, announce].filter((text) => text !== '');
  return {
    parts: [...parts, ...tail.map((text) => ({ kind: 'text', text }) as const)],
    tokens: segments.reduce(
      (sum, segment) => sum + segment.tokens,
      sources.tokens + countTokens(announce),
    ),
  };
}

/** The timeline as parts that know their turn, round and blocks. A loop, because it walks over all turns every round. */
export function timelineSegments({ turns, hidden }: View, asOf: number): readonly Segment[] {
  const segments: Segment[] = [];
  for (const turn of turns) {
    if (turn.openSeq <= asOf) segments.push(...renderTurn(turn, { hidden, asOf }));
  }
  return segments;
}

function withImages(
  segments: readonly Segment[],
  recentImages: number | undefined,
): readonly Segment[] {
  if (recentImages === undefined) return segments;
  const images = segments.filter(({ part }) => part.kind === 'blob');
  const dropped = new Set(images.slice(0, Math.max(0, images.length - recentImages)));
  return segments.filter((segment) => !dropped.has(segment));
}
