import { invariant } from '../../base/assert.ts';
import { type ChannelEvent, type ChannelSpec, declaredChannels } from '../protocol/channel.ts';
import { TextCleaner } from '../protocol/clean-text.ts';
import { spanCharsMax } from '../protocol/limits.ts';
import { lastTagStart, marks, marksIn, nextTag } from './marks.ts';
import { OutsideText } from './outside-text.ts';
import { createQuoteState, type QuoteState } from './quote-state.ts';
import { type OutsideEvent, ScanOutput } from './scan-output.ts';
import { opensTag, type Tag, TagReader } from './tag-reader.ts';

export interface Scanner {
  /** Takes the next piece of the model output, split anywhere. */
  push(text: string): ChannelEvent[];
  /** Ends the output and closes the open channel. Call once. */
  end(): ChannelEvent[];
  /** Number of characters read so far, with repeated reads; at most a small multiple of the input. */
  readonly steps: number;
}

/**
 * Splits model output into channels: `<channel:NAME attr="…">…</channel:NAME>`, names in any case, never nested.
 *
 * 1. The same text gives the same events, however it is split, once the texts of one instance are joined.
 * 2. Only text that may still become a tag is held back.
 * 3. A channel opened with an `id` is closed only by `</channel:NAME id="…">` with the same id; nothing else in it is a tag.
 * 4. `<think>` outside channels opens `thinking`, and only `</think>` closes it.
 * 5. Otherwise a tag that is not quoted (see `QuoteState`) is a tag: its own closing tag closes the channel, an opening tag
 *    closes the open channel, any other closing tag is dropped.
 *
 * Names and aliases are unique regardless of case; a duplicate is a Defect.
 */
export function createScanner({
  channels = declaredChannels,
}: {
  readonly channels?: readonly ChannelSpec[];
} = {}): Scanner {
  return new ChannelScanner<never>(indexByName(channels), new OutsideText());
}

/** A scanner that also reports the text outside channels. */
export function createFullScanner(
  channels: readonly ChannelSpec[],
): Pick<ChannelScanner<OutsideEvent>, 'push' | 'end' | 'isInChannel' | 'isTagInDoubt'> {
  return new ChannelScanner(indexByName(channels), (text) => ({ kind: 'outside', text }));
}

function indexByName(channels: readonly ChannelSpec[]): ReadonlyMap<string, ChannelSpec> {
  const byName = new Map<string, ChannelSpec>();
  for (const spec of channels) {
    for (const name of [spec.name, ...(spec.aliases ?? [])]) {
      invariant(!byName.has(name.toLowerCase()), `the channel name ${name} is declared once`);
      byName.set(name.toLowerCase(), spec);
    }
  }
  return byName;
}

/** A complete tag and its position in the buffer. */
type Found = { readonly tag: Tag; readonly start: number; readonly end: number };

class ChannelScanner<Outside> {
  steps = 0;
  readonly #byName: ReadonlyMap<string, ChannelSpec>;
  readonly #cleaner = new TextCleaner();
  readonly #output: ScanOutput<Outside>;
  #quoteState: QuoteState = createQuoteState(undefined);
  /** Text not yet given out begins at `from`; it has been read up to `at`. */
  #buffer = '';
  #from = 0;
  #at = 0;
  #reader: TagReader | undefined;
  #tagStart = 0;
  /** A tag after an open backtick: text if the backtick closes, a tag once its line ends. */
  #suspect: Found | undefined;
  #ended = false;

  constructor(
    byName: ReadonlyMap<string, ChannelSpec>,
    outside: OutsideText | ((text: string) => Outside),
  ) {
    this.#byName = byName;
    this.#output = new ScanOutput(outside);
  }

  get isInChannel(): boolean {
    return this.#output.open !== undefined;
  }

  get isTagInDoubt(): boolean {
    return this.#suspect !== undefined;
  }

  push(text: string): (ChannelEvent | Outside)[] {
    invariant(!this.#ended, 'nothing is pushed after the end');
    if (!this.#passPlain(text)) this.#scan(this.#cleaner.push(text));
    return this.#output.take();
  }

  end(): (ChannelEvent | Outside)[] {
    invariant(!this.#ended, 'the output ends once');
    this.#ended = true;
    this.#scan(this.#cleaner.end());
    while (this.#from < this.#buffer.length) this.#decideHeld();
    this.#output.end();
    return this.#output.take();
  }

  /** Passes nearly every delta. False: it may contain a tag, or must be cleaned. */
  #passPlain(text: string): boolean {
    if (this.#reader !== undefined || this.#suspect !== undefined) return false;
    const whole = this.#buffer === '' ? text : this.#buffer + text;
    const found = marksIn(whole);
    if ((found & (marks.tag | marks.cleaning)) !== 0 || !this.#cleaner.pass(text)) return false;
    const isQuiet = (found & marks.quote) === 0;
    if ((found & marks.tagBeginning) !== 0) this.#passUpToTag(whole, isQuiet);
    else {
      this.#passText(whole, isQuiet);
      this.#buffer = '';
    }
    return true;
  }

  /** Holds back the last `<`, unless it is quoted. */
  #passUpToTag(text: string, isQuiet: boolean): void {
    const tag = lastTagStart(text);
    const before = text.slice(0, tag);
    const held = text.slice(tag);
    this.#readQuotes(before, isQuiet);
    if (this.#quoteState.quoting() === 'quoted') {
      this.#readQuotes(held, true);
      this.#output.text(text);
      this.#buffer = '';
    } else {
      this.#output.text(before);
      this.#buffer = held;
    }
  }

  /** Text without a tag. A quiet one contains no character that `mayQuote`. */
  #passText(text: string, isQuiet: boolean): void {
    this.#readQuotes(text, isQuiet);
    this.#output.text(text);
  }

  #readQuotes(text: string, isQuiet: boolean): void {
    this.steps += text.length;
    if (!isQuiet || !this.#quoteState.isIdle) this.#quoteState.read(text, 0, text.length);
  }

  #scan(text: string): void {
    this.#buffer += text;
    this.#readOn();
  }

  /** Reads the buffer and passes its text, except what may still become a tag. */
  #readOn(): void {
    this.#read();
    const held = this.#suspect?.start ?? (this.#reader === undefined ? this.#at : this.#tagStart);
    if (held === 0) return;
    this.#output.text(this.#buffer.slice(this.#from, held));
    this.#buffer = this.#buffer.slice(held);
    this.#from = 0;
    this.#at -= held;
    this.#tagStart -= held;
    if (this.#suspect !== undefined) this.#suspect = moved(this.#suspect, held);
  }

  #read(): void {
    while (this.#at < this.#buffer.length) {
      if (this.#reader !== undefined) this.#stepTag(this.#reader);
      else if (this.#suspect !== undefined) this.#stepBehind(this.#suspect);
      else if (!this.#readText()) return;
    }
  }

  /** At the end of the output an unfinished tag is text, and an open backtick stays open. */
  #decideHeld(): void {
    if (this.#reader !== undefined) this.#giveUpTag();
    if (this.#suspect !== undefined && this.#quoteState.quoting() === 'span')
      this.#accept(this.#suspect);
    else if (this.#at < this.#buffer.length) this.#readAsText(this.#buffer.length);
    this.#suspect = undefined;
    this.#readOn();
  }

  /** Reads up to the next `<` that may open a tag, or over it. False: what follows must show whether it does. */
  #readText(): boolean {
    const next = nextTag(this.#buffer, this.#at);
    this.#readAsText(next);
    if (next === this.#buffer.length) return true;
    if (this.#quoteState.quoting() === 'quoted') this.#readAsText(next + 1);
    else if (opensTag(this.#buffer, next) === 'unknown') return false;
    else this.#beginTag(next);
    return true;
  }

  #beginTag(start: number): void {
    this.steps += 1;
    this.#reader = new TagReader();
    this.#tagStart = start;
    this.#at = start + 1;
  }

  #readAsText(to: number): void {
    this.steps += to - this.#at;
    this.#quoteState.read(this.#buffer, this.#at, to);
    this.#at = to;
  }

  #stepBehind(suspect: Found): void {
    this.#readAsText(this.#at + 1);
    this.#judge(suspect);
  }

  #stepTag(reader: TagReader): void {
    this.steps += 1;
    const verdict = reader.step(this.#buffer.charAt(this.#at));
    if (verdict === 'text') {
      this.#giveUpTag();
      return;
    }
    this.#at += 1;
    if (verdict === 'more') return;
    this.#reader = undefined;
    this.#decide({ tag: reader.tag, start: this.#tagStart, end: this.#at });
  }

  /** The characters are text, not a tag, and count for quoting. Only the first of them is a `<`. */
  #giveUpTag(): void {
    this.#reader = undefined;
    this.#quoteState.read(this.#buffer, this.#tagStart, this.#at);
  }

  #decide(found: Found): void {
    const { tag, start } = found;
    if (this.#output.isSealed) {
      if (this.#closesOpen(tag)) this.#accept(found);
    } else if (tag.think && this.#output.open !== undefined) {
      this.#giveUpTag();
    } else if (this.#quoteState.quoting() === 'none') {
      this.#accept(found);
    } else {
      // Read its characters again as text: one of them may close the span or end the line.
      this.#at = start;
      this.#suspect = found;
    }
  }

  #judge(suspect: Found): void {
    const span = this.#at - suspect.end > spanCharsMax ? 'unclosed' : this.#quoteState.span;
    if (span === 'open') return;
    this.#suspect = undefined;
    if (span === 'unclosed') this.#accept(suspect);
  }

  /** Accepts the tag: emits the text before it and continues after it. */
  #accept({ tag, start, end }: Found): void {
    this.#output.text(this.#buffer.slice(this.#from, start));
    this.#from = end;
    this.#at = end;
    const spec = this.#byName.get(tag.name.toLowerCase());
    if (!tag.closing) {
      this.#output.openChannel(tag, spec);
      this.#quoteState = createQuoteState(this.#output.isSealed ? undefined : spec);
    } else if (this.#closesOpen(tag)) {
      this.#output.close('tag');
      this.#quoteState = createQuoteState(undefined);
    } else {
      this.#output.stray(tag);
    }
  }

  #closesOpen(tag: Tag): boolean {
    const open = this.#output.open;
    if (!tag.closing || open === undefined || tag.think !== open.think) return false;
    const name = this.#byName.get(tag.name.toLowerCase())?.name ?? tag.name.toLowerCase();
    return name === open.name && (open.id === undefined || open.id === tag.attributes['id']);
  }
}

function moved({ tag, start, end }: Found, by: number): Found {
  return { tag, start: start - by, end: end - by };
}
