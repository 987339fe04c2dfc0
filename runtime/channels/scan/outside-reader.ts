import { type ForeignText, foreignText } from '../protocol/foreign-text.ts';
import { lineHeadCharsMax, preambleCharsMax, proseHeldChars } from '../protocol/limits.ts';
import { BareObject } from './bare-object.ts';
import { BlankEnd, HeldText } from './held-text.ts';

/** The meaning of a piece of text outside channels. `text` is not used. */
export type OutsidePiece =
  | { readonly kind: 'text' | 'inside'; readonly text: string }
  | { readonly kind: 'open'; readonly as: 'bare' | 'prose' }
  | { readonly kind: 'close'; readonly how: 'tag' | 'end' }
  | ({ readonly kind: 'foreign'; readonly text: string } & ForeignText);

const lineBreak = 0x0a;
const fence = /^`{3,}[ \t]*[\w-]*\s*$/;
/** An object at the beginning of a line, alone or as the first of a list. */
const fencedObject =
  /^(`{3,}[ \t]*[\w-]*\s*|<(reactdecisionoutv2|decision|action)>\s*)?(\[\s*)?\{$/i;
/** Closes a fence, or a tag without `channel:`. */
const closing = /^(`{3,}|<\/\w+>)\s*$/;
const tags = ['reactdecisionoutv2', 'decision', 'action'].flatMap((name) => [
  `<${name}>`,
  `</${name}>`,
]);

/**
 * Reads what a model writes outside channels, line by line; the input may be split anywhere.
 *
 * 1. A JSON object with an `action` is a decision: bare, in a fence or in a tag without `channel:`, with at most a few
 *    words before it.
 * 2. If `prose` may be the answer, the first plain text that is not a short preamble is the answer, as from `complete`.
 * 3. Imitations of the log and calls of other protocols are neither.
 */
export class OutsideReader {
  #mayBeAnswer: boolean;
  #mayBeBare = true;
  #state: 'line' | 'rest' | 'object' | 'decision' = 'line';
  /** The beginning of a line, or a fence line and the beginning of the next, whose meaning is not clear yet. */
  #head = '';
  readonly #isStrict: boolean;
  #object: BareObject;
  #isFenced = false;
  /** Plain text that may or may not be the beginning of an answer. */
  readonly #held = new HeldText();
  #isAnswer = false;
  readonly #blank = new BlankEnd();
  #unusedChars = 0;
  #pieces: OutsidePiece[] = [];

  /** `strict`: only objects with a known action are decisions, because other objects may be an answer. */
  constructor({ prose, strict = false }: { readonly prose: boolean; readonly strict?: boolean }) {
    this.#mayBeAnswer = prose;
    this.#isStrict = strict;
    this.#object = new BareObject({ strict });
  }

  push(text: string): readonly OutsidePiece[] {
    for (let at = 0; at < text.length; ) at = this.step(text, at, text.length);
    return this.take();
  }

  /** Reads on until something is known, or up to `to`; returns the index after what it read. */
  step(text: string, from: number, to: number): number {
    if (this.#state === 'line') {
      this.#readHead(text.charAt(from));
      return from + 1;
    }
    return this.#state === 'rest'
      ? this.#readRest(text, from, to)
      : this.#readObject(text, from, to);
  }

  /** The pieces since the last call. */
  take(): readonly OutsidePiece[] {
    const pieces = this.#pieces;
    if (pieces.length > 0) this.#pieces = [];
    return pieces;
  }

  /** A channel opens, or the output ends: decides about the text held back. */
  boundary(channel: 'decision' | 'work' | 'beside' | 'end'): readonly OutsidePiece[] {
    const how = channel === 'end' ? 'end' : 'tag';
    if (this.#state === 'decision') this.#pieces.push({ kind: 'close', how });
    this.#say(this.#state === 'object' ? this.#head + this.#object.text : this.#restOfHead());
    this.#head = '';
    this.#state = 'line';
    const isPreamble = channel === 'decision' || channel === 'work';
    if (isPreamble) this.#dropHeld();
    else if (this.#held.chars > 0) this.#openAnswer();
    this.#closeAnswer();
    if (channel === 'decision') {
      this.#mayBeAnswer = false;
      this.#mayBeBare = false;
    }
    return this.take();
  }

  #readRest(text: string, from: number, to: number): number {
    let next = from;
    while (next < to && text.charCodeAt(next) !== lineBreak) next += 1;
    if (next < to) {
      next += 1;
      this.#state = 'line';
    }
    this.#say(text.slice(from, next));
    return next;
  }

  #readHead(char: string): void {
    this.#head += char;
    const head = this.#head.trimStart();
    const foreign = foreignText(head);
    if (typeof foreign === 'object') this.#meetForeign(foreign);
    else if (this.#mayBeBare && !this.#isAnswer && fencedObject.test(head)) this.#beginObject();
    else if (this.#isFenceEnd(head, char)) this.#endFence();
    else if (!this.#mayGoOn(head, foreign === 'more')) {
      this.#state = char === '\n' ? 'line' : 'rest';
      this.#say(this.#head);
      this.#head = '';
    }
  }

  #mayGoOn(head: string, mayBeForeign: boolean): boolean {
    if (this.#head.length > lineHeadCharsMax) return false;
    if (head === '') return !this.#head.endsWith('\n');
    return mayBeForeign || fence.test(head) || /^(`{1,2}|\[\s*)$/.test(head) || mayBeTag(head);
  }

  #isFenceEnd(head: string, char: string): boolean {
    return this.#isFenced && char === '\n' && closing.test(head);
  }

  #endFence(): void {
    this.#isFenced = false;
    this.#head = '';
  }

  #restOfHead(): string {
    return this.#isFenced && closing.test(this.#head.trimStart()) ? '' : this.#head;
  }

  #meetForeign(foreign: ForeignText): void {
    this.#dropHeld();
    this.#closeAnswer();
    this.#mayBeAnswer = false;
    this.#pieces.push({ kind: 'foreign', ...foreign, text: this.#head.trim() });
    this.#head = '';
    this.#state = 'rest';
  }

  #beginObject(): void {
    this.#head = this.#head.slice(0, -1);
    this.#object = new BareObject({ strict: this.#isStrict });
    this.#state = 'object';
    this.#readObject('{', 0, 1);
  }

  #readObject(text: string, from: number, to: number): number {
    const { next, verdict } = this.#object.read(text, from, to);
    if (verdict === 'open') return next;
    if (this.#state === 'decision')
      this.#pieces.push({ kind: 'inside', text: text.slice(from, next) });
    if (verdict === 'ended') this.#endDecision();
    if (this.#state === 'object') this.#endObject(verdict);
    return next;
  }

  #endObject(verdict: 'decision' | 'call' | 'other' | 'ended'): void {
    if (verdict === 'decision') this.#beginDecision();
    else if (verdict === 'call') {
      this.#head += this.#object.text;
      this.#meetForeign({ what: 'tool_call', ends: true });
    } else if (this.#object.text === "{'") {
      // Not JSON, but its next characters may still show what it is.
      this.#state = 'line';
      this.#head += this.#object.text;
    } else {
      this.#state = 'rest';
      this.#say(this.#head + this.#object.text);
      this.#head = '';
    }
  }

  #beginDecision(): void {
    this.#dropHeld();
    this.#mayBeAnswer = false;
    this.#isFenced = /[`<]/.test(this.#head);
    this.#head = '';
    this.#state = 'decision';
    this.#pieces.push({ kind: 'open', as: 'bare' }, { kind: 'inside', text: this.#object.text });
  }

  #endDecision(): void {
    this.#pieces.push({ kind: 'close', how: 'tag' });
    this.#state = 'line';
  }

  #say(text: string): void {
    if (text === '') return;
    if (this.#isAnswer) this.#answer(text);
    else if (!this.#mayBeAnswer) this.#leave(text);
    else {
      this.#held.add(text);
      if (this.#held.chars >= proseHeldChars) this.#openAnswer();
    }
  }

  #leave(text: string): void {
    this.#unusedChars += text.replace(/\s+/g, '').length;
    if (this.#unusedChars > preambleCharsMax) this.#mayBeBare = false;
    this.#pieces.push({ kind: 'text', text });
  }

  #dropHeld(): void {
    const held = this.#held.take();
    if (held !== '') this.#leave(held);
  }

  #openAnswer(): void {
    const held = this.#held.take().trimStart();
    this.#isAnswer = true;
    const text = '{"action":"complete","final_answer":"';
    this.#pieces.push({ kind: 'open', as: 'prose' }, { kind: 'inside', text });
    this.#answer(held);
  }

  /** Holds back trailing white space, which is dropped at the end. */
  #answer(text: string): void {
    const said = this.#blank.push(text);
    if (said === '') return;
    this.#pieces.push({ kind: 'inside', text: JSON.stringify(said).slice(1, -1) });
  }

  #closeAnswer(): void {
    if (!this.#isAnswer) return;
    this.#isAnswer = false;
    this.#mayBeAnswer = false;
    this.#mayBeBare = false;
    this.#blank.drop();
    this.#pieces.push({ kind: 'inside', text: '"}' }, { kind: 'close', how: 'tag' });
  }
}

function mayBeTag(head: string): boolean {
  const read = head.trimEnd().toLowerCase();
  return tags.some((tag) => tag.startsWith(read));
}
