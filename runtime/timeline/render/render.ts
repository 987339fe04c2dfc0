import { countTokens } from '../tokens.ts';
import type { View } from '../view.ts';
import { checkpoints } from './checkpoints.ts';
import { renderTimeline } from './history.ts';
import type { RenderPart, Segment } from './segments.ts';
import { sourcesSection } from './sources-section.ts';

export type { RenderPart } from './segments.ts';

/** Recorded in every `round.open`: another version may render the same log differently. */
export const rendererVersion = 'timeloom-render-7';

type RenderInputs = {
  /** Seq of the last block that may be shown. */
  readonly asOf: number;
  /** The text of ANNOUNCE. */
  readonly announce: string;
};

/** The prompt after the system text: the timeline with its checkpoints, then SOURCES and ANNOUNCE, which are never cached. */
export function render(
  view: View,
  { asOf, announce }: RenderInputs,
): { readonly parts: readonly RenderPart[]; readonly tokens: number } {
  const { segments, parts: drawn, tokens } = renderTimeline(view, asOf);
  const sources = sourcesSection(view);
  const tail = [sources.text, announce].filter((text) => text !== '');
  const parts = drawn.concat(tail.map((text) => ({ kind: 'text', text })));
  for (const mark of checkpoints(segments)) {
    const part = parts[mark];
    if (part) parts[mark] = { ...part, checkpoint: true };
  }
  return { parts, tokens: tokens + sources.tokens + countTokens(announce) };
}

/** The timeline as parts with their turn, round and blocks. */
export function timelineSegments(view: View, asOf: number): readonly Segment[] {
  return renderTimeline(view, asOf).segments;
}
