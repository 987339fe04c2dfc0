import { createQuoteState } from '../scan/quote-state.ts';
import { type Citation, CitationReader, opensCitation } from './citation-reader.ts';
import { HtmlQuoteState } from './html-quote-state.ts';

/** `token` is the citation as the model wrote it. */
type ReplaceToken = (citation: Citation, token: string) => string;

/**
 * Replaces each citation token of a streamed text. Tokens in backticks and fences (Markdown) or in tags, comments,
 * scripts and styles (HTML) are plain text.
 */
export class TokenReplacer {
  readonly #replace: ReplaceToken;
  readonly #quoteState: Pick<HtmlQuoteState, 'step'> & { quoting(): 'none' | 'span' | 'quoted' };
  #reader: CitationReader | undefined;
  /** The characters that may become a token, starting with a bracket. */
  #held = '';

  constructor(replace: ReplaceToken, format: 'markdown' | 'html' = 'markdown') {
    this.#replace = replace;
    this.#quoteState = format === 'html' ? new HtmlQuoteState() : createQuoteState({ format });
  }

  push(text: string): string {
    let out = '';
    for (let i = 0; i < text.length; i += 1) out += this.#step(text.charAt(i));
    return out;
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    this.#reader = undefined;
    return rest;
  }

  #step(char: string): string {
    if (this.#reader === undefined) return this.#plain(char);
    const verdict = this.#reader.step(char);
    if (verdict === 'text') return this.#rejectToken() + this.#step(char);
    this.#held += char;
    if (verdict === 'more') return '';
    const { citation } = this.#reader;
    const token = this.#held;
    this.#reader = undefined;
    this.#held = '';
    return this.#replace(citation, token);
  }

  #plain(char: string): string {
    if (opensCitation(char) && this.#quoteState.quoting() === 'none') {
      this.#reader = new CitationReader();
      this.#held = char;
      return '';
    }
    this.#quoteState.step(char);
    return char;
  }

  /** No token starts at the first bracket, but one may start at the second. */
  #rejectToken(): string {
    const held = this.#held;
    this.#reader = undefined;
    this.#held = '';
    this.#quoteState.step(held.charAt(0));
    return held.charAt(0) + this.push(held.slice(1));
  }
}
