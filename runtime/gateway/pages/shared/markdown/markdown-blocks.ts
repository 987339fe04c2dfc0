import createParser, { type Token } from 'markdown-it';
import { addMathRules } from './math-rules.ts';

/** Maximum nesting of quotes and lists. The parser drops deeper content, so such a block is shown as written. */
const levelsMax = 100;

// HTML stays text, and only an address with a scheme becomes a link: "README.md" does not.
const parser = createParser({ html: false, linkify: true, maxNesting: levelsMax });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
addMathRules(parser);

/** The tokens of a paragraph, list, table…, from its opening to its closing token. */
export type MarkdownBlock = readonly Token[];
type BlockAtLine = { readonly tokens: MarkdownBlock; readonly line: number };

export type MarkdownChange = {
  /** Number of unchanged blocks at the beginning. */
  readonly kept: number;
  /** The blocks after them. */
  readonly blocks: readonly MarkdownBlock[];
};

/**
 * The blocks of a growing text. Each line belongs to a block or begins one, whatever follows. So all blocks before the last one
 * that begins on a complete line are settled, and only the text after them is parsed again. A complete text is parsed once as
 * a whole, because its end may define links used at its beginning.
 */
export class MarkdownBlocks {
  #settled = '';
  #kept = 0;

  next(text: string, isComplete: boolean): MarkdownChange {
    const source = text.replace(/\r\n?/g, '\n');
    if (isComplete || !source.startsWith(this.#settled)) {
      this.#settled = '';
      this.#kept = 0;
    }
    const rest = source.slice(this.#settled.length);
    const placed = parse(rest);
    const change = { kept: this.#kept, blocks: placed.map(({ tokens }) => tokens) };
    if (!isComplete) this.#settle(rest, placed);
    return change;
  }

  #settle(rest: string, placed: readonly BlockAtLine[]): void {
    const starts = lineStarts(rest);
    const at = placed.findLastIndex(({ line }) => line + 1 < starts.length);
    if (at < 1) return;
    this.#settled += rest.slice(0, starts[placed[at]?.line ?? 0]);
    this.#kept += at;
  }
}

/** Offsets of line starts. */
function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

function parse(text: string): readonly BlockAtLine[] {
  const blocks: { tokens: Token[]; line: number }[] = [];
  const tokens = parser.parse(text, {});
  tokens.forEach((token, at) => {
    if (token.type === 'list_item_open') markTask(token, tokens[at + 2]);
    if (token.type === 'fence') token.info = parser.utils.unescapeAll(token.info);
    if (token.level === 0 && token.nesting >= 0 && token.type !== 'inline') {
      blocks.push({ tokens: [], line: token.map?.[0] ?? 0 });
    }
    blocks.at(-1)?.tokens.push(token);
  });
  const lines = text.split('\n');
  return blocks.map((block, at) => {
    const isTooDeep = block.tokens.some(({ level }) => level >= levelsMax - 1);
    if (!isTooDeep) return block;
    const source = lines.slice(block.line, blocks[at + 1]?.line).join('\n');
    return { ...block, tokens: verbatim(source) };
  });
}

function verbatim(source: string): MarkdownBlock {
  const [token] = parser.parse('    code', {});
  if (token) token.content = source;
  return token ? [token] : [];
}

/** Sets `meta.task` for `- [x] done` and `- [ ] open`. */
function markTask(item: Token, inline: Token | undefined): void {
  const [first] = inline?.type === 'inline' ? (inline.children ?? []) : [];
  const mark = /^\[([ xX])\]\s/.exec(first?.type === 'text' ? first.content : '');
  if (!first || !mark) return;
  first.content = first.content.slice(mark[0].length);
  item.meta = { task: mark[1] !== ' ' };
}
