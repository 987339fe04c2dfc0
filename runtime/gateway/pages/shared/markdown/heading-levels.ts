import type { Token } from 'markdown-it';
import type { MarkdownBlock } from './markdown-blocks.ts';

/** The element of a heading; undefined for other tokens. */
export type Headings = (token: Token) => HeadingName | undefined;
type HeadingName = 'h2' | 'h3' | 'h4' | 'h5' | 'h6';

/**
 * The page has its own top heading, so the headings of a text begin with h2, whatever the text begins with: screen readers
 * expect that no level is left out.
 */
export class HeadingLevels {
  /** The first heading of the text, and its block. */
  #first: { readonly block: number; readonly depth: number } | undefined;

  next(kept: number, blocks: readonly MarkdownBlock[]): Headings {
    if (!this.#first || this.#first.block >= kept) this.#first = firstOf(kept, blocks);
    const { depth: top } = this.#first ?? { depth: 1 };
    return ({ type, tag }) => (type === 'heading_open' ? nameOf(depthOf(tag) - top) : undefined);
  }
}

function firstOf(kept: number, blocks: readonly MarkdownBlock[]) {
  const index = blocks.findIndex((tokens) => tokens.some(isHeading));
  const heading = blocks[index]?.find(isHeading);
  return heading && { block: kept + index, depth: depthOf(heading.tag) };
}

const isHeading = ({ type }: Token) => type === 'heading_open';
const depthOf = (tag: string) => Number(tag.slice(1));

const names = ['h2', 'h3', 'h4', 'h5'] as const;

function nameOf(below: number): HeadingName {
  return names[Math.max(0, below)] ?? 'h6';
}
