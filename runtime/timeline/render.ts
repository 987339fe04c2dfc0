import { checkpoints } from './checkpoints.ts';
import { renderTimeline } from './render-history.ts';
import type { RenderPart, Segment } from './segments.ts';
import { sourcesSection } from './sources-section.ts';
import { countTokens } from './tokens.ts';
import type { View } from './view.ts';

export type { RenderPart } from './segments.ts';

/** Goes into every `round.open`: with another version the same log may give other bytes. */
export const rendererVersion = 'timeloom-render-2';

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
  const whole = renderTimeline(view, asOf);
  const dropped = olderImages(whole.segments, recentImages);
  const segments =
    dropped.size === 0 ? whole.segments : whole.segments.filter((each) => !dropped.has(each));
  const marks = checkpoints(segments);
  const parts = segments.map(({ part }, index) =>
    marks.has(index) ? { ...part, checkpoint: true as const } : part,
  );
  const sources = sourcesSection(view);
  const tail = [sources.text, announce].filter((text) => text !== '');
  const saved = [...dropped].reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    parts: [...parts, ...tail.map((text) => ({ kind: 'text', text }) as const)],
    tokens: whole.tokens - saved + sources.tokens + countTokens(announce),
  };
}

/** The timeline as parts that know their turn, round and blocks. */
export function timelineSegments(view: View, asOf: number): readonly Segment[] {
  return renderTimeline(view, asOf).segments;
}

function olderImages(
  segments: readonly Segment[],
  recentImages: number | undefined,
): ReadonlySet<Segment> {
  if (recentImages === undefined) return new Set();
  const images = segments.filter(({ part }) => part.kind === 'blob');
  return new Set(images.slice(0, Math.max(0, images.length - recentImages)));
}
