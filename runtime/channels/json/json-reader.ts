import { jsonDepthMax, scalarCharsMax } from '../protocol/limits.ts';
import { isBlank, isOpening } from './json-chars.ts';
import { JsonComment } from './json-comment.ts';
import type { JsonSink } from './json-sink.ts';
import { JsonString } from './json-string.ts';

/** Syntax errors that the reader accepts: they have only one meaning, or occur in text for the user. */
type JsonRepair = 'trailing_comma' | 'raw_control_character' | 'unescaped_quote' | 'json_comment';

/** Fields of the outermost object that only people read. A quote in them that does not end the string is taken as text. */
const spoken: readonly string[] = ['notes', 'final_answer'];

export type JsonFault = {
  /** Offset of the wrong character in UTF-16 units. */
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
};

type State =
  | 'before'
  | 'key'
  | 'colon'
  | 'value'
  | 'after'
  | 'string'
  | 'scalar'
  | 'done'
  | 'second'
  | 'broken';

const structural: ReadonlySet<State> = new Set(['key', 'colon', 'value', 'after']);
const scalarText = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * The only JSON parser of this floor. The scanner uses it to find out whether a tag is inside a string, and the field
 * stream and the decision parser build on it, so the text shown live and the decision that runs cannot differ.
 *
 * It skips text before the first bracket (a fence, a sentence), and a bracket that proves to be prose before a first
 * value was read. After the value it only looks for a second object.
 */
export class JsonReader {
  readonly repairs = new Set<JsonRepair>();
  readonly #sink: JsonSink | undefined;
  /** Undefined: the text of strings is not needed. */
  readonly #chars: ((text: string) => void) | undefined;
  readonly #comment = new JsonComment();
  #state: State = 'before';
  #offset = -1;
  #start = 0;
  #end = 0;
  /** One entry per open container: the keys of an object so far, or undefined for an array. */
  #open: (Set<string> | undefined)[] = [];
  #committed = false;
  #afterComma = false;
  #string: JsonString | undefined;
  /** The key being read, or undefined in a string that is a value. */
  #key: string | undefined;
  /** The last key of the outermost object. */
  #field = '';
  /** A quote in text for people, and what followed it, until it is clear whether the quote ended the string. */
  #doubt: string | undefined;
  #scalar = '';
  #several = false;
  #fault: JsonFault | undefined;

  constructor(sink?: JsonSink) {
    this.#sink = sink;
    this.#chars = sink && ((text) => sink.chars(text));
  }

  /** Whether the position is inside a string and the value has been strict JSON so far. */
  get inSoundString(): boolean {
    const { repairs } = this;
    const departed = repairs.has('raw_control_character') || repairs.has('unescaped_quote');
    return this.#state === 'string' && !departed && this.#string?.raw === false;
  }

  /** In a string that is a value, where only a quote, a backslash or a control character matters. */
  get inPlainValue(): boolean {
    return this.#state === 'string' && this.#key === undefined && this.#string?.isPlain === true;
  }

  get outcome(): 'none' | 'open' | 'done' | 'broken' {
    if (this.#state === 'before') return this.#fault === undefined ? 'none' : 'broken';
    if (this.#state === 'done' || this.#state === 'second') return 'done';
    return this.#state === 'broken' ? 'broken' : 'open';
  }

  /** The text is not valid JSON, whatever follows. */
  get isBroken(): boolean {
    return this.#state === 'broken';
  }

  /** Every value is complete and only closing brackets are missing. */
  get lacksOnlyBrackets(): boolean {
    return this.#state === 'after';
  }

  /** A second object follows the value. */
  get several(): boolean {
    return this.#several;
  }

  get fault(): JsonFault | undefined {
    return this.#fault;
  }

  /** The range of the value in the text; the end is valid once `outcome` is `done`. */
  get span(): { readonly start: number; readonly end: number } {
    return { start: this.#start, end: this.#end };
  }

  push(text: string, from = 0, to = text.length): void {
    for (let at = from; at < to; ) at = this.take(text, at, to);
  }

  /** Reads one UTF-16 unit, or the next plain characters of a string up to `to`; returns the index after them. */
  take(text: string, from: number, to: number): number {
    const plain = this.#state === 'string' ? (this.#string?.plain(text, from, to) ?? from) : from;
    this.#offset += plain - from;
    if (plain > from) return plain;
    this.step(text.charAt(from));
    return from + 1;
  }

  /** One UTF-16 unit. */
  step(char: string): void {
    this.#offset += 1;
    if (this.#state === 'string') this.#state = this.#inString(char);
    else if (this.#state === 'scalar') this.#state = this.#inScalar(char);
    else if (this.#doubt !== undefined) this.#state = this.#inDoubt(this.#doubt + char, char);
    else if (this.#isComment(char)) this.repairs.add('json_comment');
    else if (!isBlank(char)) this.#state = this.#structure(char);
  }

  #isComment(char: string): boolean {
    return structural.has(this.#state) && this.#comment.step(char);
  }

  /** The text has ended. A string whose last quote is the end of the text has ended too. */
  settle(): void {
    if (this.#doubt !== undefined) this.#sink?.stringEnded();
    this.#doubt = undefined;
  }

  /** The quote ended the string if a comma and a key follow, or the end of the object. */
  #inDoubt(read: string, char: string): State {
    this.#doubt = read;
    if (isBlank(char)) return this.#state;
    const isAfter = this.#state === 'after';
    if (isAfter && char === ',') return this.#structure(char);
    if (char === '}' || (!isAfter && char === '"')) {
      this.settle();
      return this.#structure(char);
    }
    this.#doubt = undefined;
    this.#afterComma = false;
    this.repairs.add('unescaped_quote');
    this.#string = new JsonString(this.#chars);
    this.#sink?.chars('"');
    let state: State = 'string';
    for (const unit of read.slice(1)) state = this.#inString(unit);
    return state;
  }

  #structure(char: string): State {
    switch (this.#state) {
      case 'key':
        return this.#beforeKey(char);
      case 'colon':
        return char === ':' ? 'value' : this.#fail('a colon', char);
      case 'value':
        return this.#beforeValue(char);
      case 'after':
        return this.#afterValue(char);
      default:
        return this.#outside(char);
    }
  }

  #outside(char: string): State {
    switch (this.#state) {
      case 'before':
        return isOpening(char) ? this.#begin(char) : 'before';
      case 'done':
        return char === '{' ? 'second' : 'done';
      case 'second':
        this.#several ||= char === '"';
        return 'done';
      default:
        return this.#state;
    }
  }

  #begin(char: string): State {
    this.#start = this.#offset;
    return this.#openContainer(char);
  }

  #openContainer(char: string): State {
    if (this.#open.length === jsonDepthMax) return this.#fail('less nesting', char);
    const isObject = char === '{';
    this.#open.push(isObject ? new Set() : undefined);
    this.#afterComma = false;
    this.#sink?.opened(isObject ? 'object' : 'array');
    return isObject ? 'key' : 'value';
  }

  #beforeKey(char: string): State {
    if (char === '}') return this.#close();
    if (char !== '"') return this.#fail('a key or }', char);
    this.#key = '';
    return this.#openString((text) => {
      this.#key += text;
    });
  }

  #beforeValue(char: string): State {
    if (isOpening(char)) return this.#openContainer(char);
    if (char === ']' && this.#inArray()) return this.#close();
    if (!/["\-0-9tfn]/.test(char)) return this.#fail('a value', char);
    this.#committed = true;
    if (char === '"') {
      this.#key = undefined;
      this.#sink?.stringOpened();
      return this.#openString(this.#chars);
    }
    this.#scalar = char;
    return 'scalar';
  }

  #afterValue(char: string): State {
    if (char === ',') {
      this.#afterComma = true;
      return this.#inArray() ? 'value' : 'key';
    }
    const closing = this.#inArray() ? ']' : '}';
    return char === closing ? this.#close() : this.#fail(`a comma or ${closing}`, char);
  }

  #inArray(): boolean {
    return this.#open.at(-1) === undefined;
  }

  #close(): State {
    if (this.#afterComma) this.repairs.add('trailing_comma');
    this.#afterComma = false;
    this.#open.pop();
    this.#end = this.#offset + 1;
    this.#sink?.ended();
    return this.#open.length === 0 ? 'done' : 'after';
  }

  #openString(give: ((text: string) => void) | undefined): State {
    this.#afterComma = false;
    this.#string = new JsonString(give);
    return 'string';
  }

  #inString(char: string): State {
    const string = this.#string;
    const verdict = string?.step(char);
    if (verdict === 'more') return 'string';
    if (verdict === 'fault') return this.#fail('an escape that JSON knows', char);
    if (string?.raw === true) this.repairs.add('raw_control_character');
    if (this.#key !== undefined) return this.#endKey(this.#key);
    if (this.#open.length === 1 && spoken.includes(this.#field)) this.#doubt = '"';
    else this.#sink?.stringEnded();
    return 'after';
  }

  #endKey(key: string): State {
    const keys = this.#open.at(-1);
    if (keys?.has(key)) return this.#fail('each key once', key);
    keys?.add(key);
    if (this.#open.length === 1) this.#field = key;
    this.#sink?.key(key);
    return 'colon';
  }

  #inScalar(char: string): State {
    if (/[\w.+-]/.test(char) && this.#scalar.length < scalarCharsMax) {
      this.#scalar += char;
      return 'scalar';
    }
    if (!scalarText.test(this.#scalar)) return this.#fail('a value', this.#scalar);
    this.#afterComma = false;
    this.#sink?.scalar(this.#scalar);
    return isBlank(char) ? 'after' : this.#afterValue(char);
  }

  #fail(expected: string, found: string): State {
    this.#fault = { offset: this.#offset, expected, found };
    if (this.#committed) return 'broken';
    this.#open = [];
    this.#sink?.restarted();
    return isOpening(found) ? this.#begin(found) : 'before';
  }
}
