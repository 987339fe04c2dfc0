/**
 * How a stretch of a prompt shows a block. `heading`: a line of the runtime about the block. `hidden`: the replacement of
 * its text. `pruned`: a line of a shortened turn. `summary`: the text of a compaction.
 */
export type ShownAs = 'whole' | 'heading' | 'hidden' | 'pruned' | 'summary';

/** The next `chars` UTF-16 units of a part's text come from this block. */
export type Span = { readonly block: number; readonly chars: number; readonly as: ShownAs };

/** A text that is known to come from a block, if it occurs. */
export type Quotation = {
  readonly block: number;
  readonly as: ShownAs;
  readonly texts: readonly string[];
};

/** Finds each quotation in a text, in order where possible. What lies between them is the text of `frame`. */
export function spansOf(
  text: string,
  quotations: readonly Quotation[],
  frame: number,
): readonly Span[] {
  const found: Found[] = [];
  let from = 0;
  for (const quotation of quotations) {
    const place = placeOf(text, { quotation, from, found });
    if (!place) continue;
    found.push(place);
    from = place.to;
  }
  return fillGaps(found, text.length, frame);
}

type Found = {
  readonly from: number;
  readonly to: number;
  readonly block: number;
  readonly as: ShownAs;
};
type Search = {
  readonly quotation: Quotation;
  readonly from: number;
  readonly found: readonly Found[];
};

function placeOf(text: string, { quotation, from: after, found }: Search): Found | undefined {
  const { block, as, texts } = quotation;
  const forms = texts.filter((each) => each !== '');
  for (const start of [after, 0]) {
    for (const form of forms) {
      const from = text.indexOf(form, start);
      const to = from + form.length;
      const isFree = from >= 0 && found.every((other) => to <= other.from || from >= other.to);
      if (isFree) return { from, to, block, as };
    }
  }
  return undefined;
}

function fillGaps(found: readonly Found[], length: number, frame: number): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  const heading = (chars: number) => {
    if (chars > 0) spans.push({ block: frame, chars, as: 'heading' });
  };
  for (const { from, to, block, as } of found.toSorted((a, b) => a.from - b.from)) {
    heading(from - at);
    spans.push({ block, chars: to - from, as });
    at = to;
  }
  heading(length - at);
  return spans;
}
