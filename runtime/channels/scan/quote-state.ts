import { JsonReader } from '../json/json-reader.ts';
import type { ChannelSpec } from '../protocol/channel.ts';

/**
 * Reads the body of a channel and tells what a tag at the current position means:
 * `none`: a tag. `quoted`: text. `span`: text if the backticks before it close on this line, else a tag.
 */
export interface QuoteState {
  /** Only characters that `mayQuote` change the state now; others need not be read. */
  readonly isIdle: boolean;
  /** Reads the characters of a text from `from` up to `to`. */
  read(text: string, from: number, to: number): void;
  /** Call before a `<`. */
  quoting(): 'none' | 'span' | 'quoted';
  /** After a character: the span is open, was closed by its backticks, or ended unclosed with its line. */
  readonly span: 'open' | 'closed' | 'unclosed';
}

export function createQuoteState(
  spec: Pick<ChannelSpec, 'format' | 'raw'> | undefined,
): QuoteState {
  if (spec === undefined || spec.raw === true) return unquoted;
  return spec.format === 'json' ? new JsonQuoteState() : new BacktickQuoteState();
}

const backtick = 0x60;
const lineBreak = 0x0a;

/** A control character, a backtick, a double quote or a backslash. */
export function mayQuote(code: number): boolean {
  return code < 0x20 || code === backtick || code === 0x22 || code === 0x5c;
}

class Unquoted implements QuoteState {
  readonly isIdle = true;
  readonly span = 'closed';

  read(): void {
    // Nothing in the text can quote a tag.
  }

  quoting(): 'none' {
    return 'none';
  }
}

const unquoted = new Unquoted();

/** A tag in a string is text while the JSON is valid; once it is invalid, it is more likely a real tag. */
class JsonQuoteState implements QuoteState {
  isIdle = false;
  readonly span = 'closed';
  readonly #reader = new JsonReader();

  read(text: string, from: number, to: number): void {
    this.#reader.push(text, from, to);
    this.isIdle = this.#reader.inPlainValue;
  }

  quoting(): 'none' | 'quoted' {
    return this.#reader.inSoundString ? 'quoted' : 'none';
  }
}

type Where = 'plain' | 'span' | 'fence';

/** Markdown backticks: fences of three or more at the start of a line, and spans that close on their line. */
class BacktickQuoteState implements QuoteState {
  isIdle = false;
  #where: Where = 'plain';
  #lineCutSpan = false;
  /** Number of backticks that opened the span or fence. */
  #opener = 0;
  #mayBeFence = false;
  /** Number of backticks in the current run. */
  #run = 0;
  /** Whether only white space precedes the run on this line. */
  #lineStart = true;

  get span(): 'open' | 'closed' | 'unclosed' {
    if (this.#lineCutSpan) return 'unclosed';
    return this.#where === 'span' ? 'open' : 'closed';
  }

  read(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      this.#lineCutSpan = false;
      at = this.#skip(text, at, to);
      if (at < to) this.#step(text.charAt(at));
    }
    this.isIdle = this.#isWithinLine;
  }

  /** Neither at the start of a line nor in a run of backticks: only the next backtick or line break matters. */
  get #isWithinLine(): boolean {
    return !this.#lineStart && this.#run === 0;
  }

  #skip(text: string, from: number, to: number): number {
    if (!this.#isWithinLine) return from;
    let at = from;
    for (; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code === backtick || code === lineBreak) break;
    }
    return at;
  }

  #step(char: string): void {
    if (char === '`') {
      this.#run += 1;
      return;
    }
    this.#settle(char);
    if (char === '\n') this.#endLine();
    else if (char !== ' ' && char !== '\t') this.#lineStart = false;
  }

  quoting(): 'none' | 'span' | 'quoted' {
    this.#settle('<');
    if (this.#where === 'plain') return 'none';
    return this.#where === 'span' ? 'span' : 'quoted';
  }

  /** The run of backticks ended before `next`. */
  #settle(next: string): void {
    const run = this.#run;
    if (run === 0) return;
    this.#run = 0;
    if (this.#where === 'plain') {
      this.#where = 'span';
      this.#opener = run;
      this.#mayBeFence = this.#lineStart && run >= 3;
    } else if (this.#where === 'span') {
      if (run === this.#opener) this.#where = 'plain';
    } else if (this.#lineStart && run >= this.#opener && /[\s<]/.test(next)) {
      this.#where = 'plain';
    }
    this.#lineStart = false;
  }

  #endLine(): void {
    this.#lineStart = true;
    if (this.#where !== 'span') return;
    this.#lineCutSpan = true;
    this.#where = this.#mayBeFence ? 'fence' : 'plain';
  }
}
