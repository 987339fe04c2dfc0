import { createQuoteState, type QuoteState } from '../scan/quote-state.ts';
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
  readonly #quoteState: Pick<QuoteState, 'read' | 'quoting'>;
  #reader: CitationReader | undefined;
  /** The characters that may become a token, starting with a bracket. */
  #held = '';

  constructor(replace: ReplaceToken, format: 'markdown' | 'html' = 'markdown') {
    this.#replace = replace;
    this.#quoteState = format === 'html' ? new HtmlQuoteState() : createQuoteState({ format });
  }

  push(text: string): string {
    let out = '';
    for (let at = 0; at < text.length; ) {
      if (this.#reader === undefined) {
        const next = nextBracket(text, at);
        this.#quoteState.read(text, at, next);
        out += text.slice(at, next);
        at = next;
      }
      if (at < text.length) out += this.#step(text.charAt(at));
      at += 1;
    }
    return out;
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    this.#reader = undefined;
    return rest;
  }

  #step(char: string): string {
    if (this.#reader === undefined) return this.#open(char);
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

  #open(char: string): string {
    if (opensCitation(char.charCodeAt(0)) && this.#quoteState.quoting() === 'none') {
      this.#reader = new CitationReader();
      this.#held = char;
      return '';
    }
    this.#quoteState.read(char, 0, 1);
    return char;
  }

  /** No token starts at the first bracket, but one may start at the second. */
  #rejectToken(): string {
    const held = this.#held;
    this.#reader = undefined;
    this.#held = '';
    this.#quoteState.read(held, 0, 1);
    return held.charAt(0) + this.push(held.slice(1));
  }
}

/** The index of the next character that may open a token. */
function nextBracket(text: string, from: number): number {
  let at = from;
  while (at < text.length && !opensCitation(text.charCodeAt(at))) at += 1;
  return at;
}
