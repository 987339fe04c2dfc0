import type { Block } from '../block.ts';
import { toSeq } from '../ids.ts';
import { formOfRound } from '../render/form.ts';
import type { RenderPart } from '../render/parts.ts';
import { isAnswer, type PastRound } from '../render/past-rounds.ts';
import { timelineSegments } from '../render/render.ts';
import type { Segment } from '../render/segments.ts';
import { sourcesSection, sourceText } from '../render/sources-section.ts';
import { quotedInTrace } from '../render/trace.ts';
import { type Quotation, type ShownAs, type Span, spansOf } from '../spans.ts';
import type { View } from '../view.ts';
import { prunedSpans } from './pruned-spans.ts';
import type { ViewChanges } from './view-changes.ts';

/**
 * Where the text of a part from `from` to `to` (in UTF-16 units) comes from. `runtime`: ANNOUNCE and other text that
 * `round.open` records by its hash; `block` is that block then.
 */
export type Origin = {
  readonly from: number;
  readonly to: number;
  readonly block: number;
  readonly as: ShownAs | 'runtime';
  /** The block that hid or pruned the text. */
  readonly by?: number;
};

/** The text of a part as a person reads it; ranges of origins refer to it. */
export function readableText(part: RenderPart): string {
  switch (part.kind) {
    case 'text':
    case 'result':
      return part.text;
    case 'call':
      return `${part.tool} ${JSON.stringify(part.input)}`;
    case 'blob':
      return `<${part.mime} ${part.path} ${part.blob.hash}>\n`;
    case 'carry':
      return `<reasoning ${part.blob.hash}>\n`;
  }
}

type Inputs = {
  readonly parts: readonly RenderPart[];
  /** All blocks of the log up to the last one that the round had seen. */
  readonly blocks: readonly Block[];
  readonly changes: ViewChanges;
};

/**
 * For each part of a past prompt, where its text comes from: the ranges begin at 0, follow each other without a gap and end
 * with the text.
 */
export function originsOf(past: PastRound, inputs: Inputs): readonly (readonly Origin[])[] {
  const tracing = new Tracing(past, inputs);
  return isAnswer(past.opened) ? tracing.record() : tracing.timeline();
}

class Tracing {
  readonly #past: PastRound;
  readonly #inputs: Inputs;
  readonly #byPath = new Map<string, number>();

  constructor(past: PastRound, inputs: Inputs) {
    this.#past = past;
    this.#inputs = inputs;
    for (const { path, seq } of inputs.blocks) if (path !== undefined) this.#byPath.set(path, seq);
  }

  /** The record of a turn, and the request that follows it. */
  record(): readonly (readonly Origin[])[] {
    const { view, open } = this.#past;
    return this.#inputs.parts.map((part, index) => {
      const text = readableText(part);
      const quoted = index === 0 ? quotedInTrace(view) : [];
      return toRanges(this.#asRuntime(spansOf(text, quoted, open.seq)));
    });
  }

  timeline(): readonly (readonly Origin[])[] {
    const { view, open, opened } = this.#past;
    const form = formOfRound(open.data);
    const segments = timelineSegments(view, toSeq(opened.as_of), form);
    const sources = sourcesSection(view).text;
    return this.#inputs.parts.map((part, index) => {
      const text = readableText(part);
      const segment = segments[index];
      if (segment) return toRanges(this.#inSegment(segment, text));
      const isSources = index === segments.length && sources !== '';
      const quoted = isSources ? this.#quotedSources(view) : [];
      return toRanges(this.#asRuntime(spansOf(text, quoted, open.seq)));
    });
  }

  #quotedSources({ sources, hidden }: View): readonly Quotation[] {
    return sources.flatMap((row) => {
      const block = this.#byPath.get(`so:sources_pool[${row.sid}]`);
      return block === undefined ? [] : [{ block, as: 'whole', texts: [sourceText(row, hidden)] }];
    });
  }

  #asRuntime(spans: readonly Span[]): readonly Piece[] {
    const { seq } = this.#past.open;
    return spans.map((span) => (span.block === seq ? { ...span, as: 'runtime' } : span));
  }

  #inSegment({ spans, blocks, turn }: Segment, text: string): readonly Piece[] {
    if (spans.length === 0) return this.#inUnit(blocks, text);
    let at = 0;
    return spans.flatMap((span) => {
      const shown = text.slice(at, at + span.chars);
      at += span.chars;
      return this.#ofSpan(span, { shown, turn });
    });
  }

  /** A call with its program, an image, or reasoning. */
  #inUnit(seqs: readonly number[], text: string): readonly Piece[] {
    const own = seqs.flatMap((seq) => this.#blockAt(seq) ?? []);
    const unit = own.find(({ type }) => type === 'react.tool.call') ?? own.at(-1);
    const programs = own.filter(({ type }) => type === 'react.code');
    const quoted = programs.map(({ seq, text: program = '' }): Quotation => {
      return { block: seq, as: 'whole', texts: [JSON.stringify(program).slice(1, -1)] };
    });
    return spansOf(text, quoted, unit?.seq ?? 0).map((span) => ({ ...span, as: 'whole' }));
  }

  #blockAt(seq: number): Block | undefined {
    const { blocks } = this.#inputs;
    return blocks[seq - (blocks[0]?.seq ?? 1)];
  }

  #ofSpan(span: Span, { shown, turn }: { shown: string; turn: string }): readonly Piece[] {
    const { changes } = this.#inputs;
    if (span.as === 'hidden') {
      const path = this.#blockAt(span.block)?.path ?? '';
      return [{ ...span, ...byOf(changes.hiddenBy(path)) }];
    }
    const owner = this.#past.view.turns.find(({ id }) => id === turn);
    if (span.as === 'summary') {
      const block = (owner && changes.coveredBy(owner.id)) ?? span.block;
      return [{ ...span, block }];
    }
    if (span.as !== 'pruned' || !owner) return [span];
    const by = changes.prunedBy(owner.id) ?? owner.openSeq;
    const { view } = this.#past;
    return prunedSpans(owner, shown, { view, byPath: this.#byPath, by });
  }
}

type Piece = Omit<Origin, 'from' | 'to'> & { readonly chars: number };

function byOf(by: number | undefined): { readonly by?: number } {
  return by === undefined ? {} : { by };
}

function toRanges(pieces: readonly Piece[]): readonly Origin[] {
  let from = 0;
  return pieces.map(({ chars, block, as, by }) => {
    const range = { from, to: from + chars, block, as, ...byOf(by) };
    from += chars;
    return range;
  });
}
