import type { Seq } from '../ids.ts';
import { countTokens } from '../tokens.ts';
import type { View } from '../view.ts';
import { checkpoints } from './checkpoints.ts';
import { lastForm, type PromptForm } from './form.ts';
import { renderTimeline } from './history.ts';
import type { RenderPart } from './parts.ts';
import type { Segment } from './segments.ts';
import { sourcesSection } from './sources-section.ts';

export type { RenderPart } from './parts.ts';

/** Without `as`: the text form. */
type RenderInputs = (PromptForm | { readonly as?: undefined }) & {
  /** Seq of the last block that may be shown. */
  readonly asOf: Seq;
  /** The text of ANNOUNCE. */
  readonly announce: string;
};

type Rendered = {
  readonly parts: readonly RenderPart[];
  readonly tokens: number;
  /** Tokens of ANNOUNCE, which are part of `tokens`. */
  readonly announced: number;
};

/**
 * The prompt after the system text: the timeline with its checkpoints, then SOURCES and ANNOUNCE, which are never cached.
 * In message form each part belongs to a message of its role, see `roleOf`.
 */
export function render(view: View, { asOf, announce, ...as }: RenderInputs): Rendered {
  const form = as.as === undefined ? ({ as: 'text' } as const) : as;
  const { segments, parts: drawn, tokens } = renderTimeline(view, { asOf, form });
  const sources = sourcesSection(view);
  const tail = [sources.text, announce].filter((text) => text !== '');
  const parts = drawn.concat(tail.map((text) => ({ kind: 'text', text })));
  for (const mark of checkpoints(segments)) {
    const part = parts[mark];
    if (part) parts[mark] = { ...part, checkpoint: true };
  }
  const announced = countTokens(announce);
  return { parts, tokens: tokens + sources.tokens + announced, announced };
}

/** The timeline as parts with their turn, round and blocks. Default: in the form of the last prompt. */
export function timelineSegments(
  view: View,
  asOf: Seq,
  form: PromptForm = lastForm(view),
): readonly Segment[] {
  return renderTimeline(view, { asOf, form }).segments;
}
