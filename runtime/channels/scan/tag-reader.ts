import { tagCharsMax } from '../protocol/limits.ts';

export type Tag = {
  readonly closing: boolean;
  /** As written. */
  readonly name: string;
  /** `<think>` or `<thinking>`, as reasoning models write it. It stands for the channel `thinking`. */
  readonly think: boolean;
  readonly attributes: Readonly<Record<string, string>>;
};

type State =
  | 'start'
  | 'slash'
  | 'word'
  | 'colon'
  | 'think_end'
  | 'name_start'
  | 'name'
  | 'gap'
  | 'key'
  | 'equals'
  | 'quote'
  | 'value';

const words: readonly string[] = ['channel', 'think', 'thinking'];
const nameChar = /[a-z0-9_-]/i;

const slash = 0x2f;

/** Whether the `<` at this index may open a tag, as far as the text shows: `channel` and `think` begin alike. */
export function opensTag(text: string, at: number): 'maybe' | 'no' | 'unknown' {
  const end = text.length;
  let first = at + 1;
  if (first < end && text.charCodeAt(first) === slash) first += 1;
  const afterBracket = first;
  while (first < end && isBlankCode(text.charCodeAt(first))) first += 1;
  const atEnd = first > afterBracket ? 'maybe' : 'unknown';
  if (first === end) return atEnd;
  const code = text.charCodeAt(first);
  if (code === slash) return 'maybe';
  const letter = lowerCase(code);
  if (letter !== 0x63 && letter !== 0x74) return 'no';
  if (first + 1 === end) return atEnd;
  return lowerCase(text.charCodeAt(first + 1)) === 0x68 ? 'maybe' : 'no';
}

/** Of a Latin letter; other characters become something that is not one. */
function lowerCase(code: number): number {
  return code | 0x20;
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}

/**
 * Reads one tag, one character at a time, after its `<`. The whole grammar is here:
 * `<`, an optional `/`, `channel`, `:`, a name, any number of `key="value"` or `key='value'`, `>`;
 * white space between any of these; no `<` in a value. Or `<think>`, `<thinking>` and their closing tags. So text that is
 * not a tag contains no second `<`, and no character must be read again.
 */
export class TagReader {
  #state: State = 'start';
  #length = 1;
  #word = '';
  #closing = false;
  #name = '';
  #key = '';
  #value = '';
  #quote = '';
  #attributes: Record<string, string> | undefined;

  get tag(): Tag {
    const think = this.#name === '';
    const name = think ? 'thinking' : this.#name;
    return { closing: this.#closing, name, think, attributes: this.#attributes ?? {} };
  }

  /** `more`: it may still be a tag. `tag`: this was its `>`. `text`: the characters before this one are text. */
  step(char: string): 'more' | 'tag' | 'text' {
    this.#length += 1;
    if (this.#length > tagCharsMax) return 'text';
    if (char === '>' && this.#isWhole()) return 'tag';
    const next = this.#next(char);
    if (next === undefined) return 'text';
    this.#state = next;
    return 'more';
  }

  #isWhole(): boolean {
    if (this.#state === 'name' || this.#state === 'gap' || this.#state === 'think_end') return true;
    return this.#state === 'word' && this.#word.startsWith('think') && words.includes(this.#word);
  }

  #next(char: string): State | undefined {
    switch (this.#state) {
      case 'word':
        return this.#spell(char);
      case 'name':
        return this.#readName(char);
      case 'key':
        return this.#readKey(char);
      case 'value':
        return this.#readValue(char);
      default:
        return isBlank(char) ? this.#state : this.#begin(char);
    }
  }

  /** The first character of the next part, after white space. */
  #begin(char: string): State | undefined {
    switch (this.#state) {
      case 'start':
        return char === '/' ? this.#close() : this.#spell(char);
      case 'slash':
        return this.#spell(char);
      case 'colon':
        return char === ':' ? 'name_start' : undefined;
      case 'name_start':
        return this.#readName(char);
      case 'gap':
        return this.#beginKey(char);
      case 'equals':
        return char === '=' ? 'quote' : undefined;
      default:
        return this.#beginValue(char);
    }
  }

  #close(): State {
    this.#closing = true;
    return 'slash';
  }

  #spell(char: string): State | undefined {
    if (isBlank(char)) return this.#isWhole() ? 'think_end' : undefined;
    this.#word += char.toLowerCase();
    if (this.#word === 'channel') return 'colon';
    return words.some((word) => word.startsWith(this.#word)) ? 'word' : undefined;
  }

  #readName(char: string): State | undefined {
    if (isBlank(char)) return 'gap';
    if (!nameChar.test(char)) return undefined;
    this.#name += char;
    return 'name';
  }

  #beginKey(char: string): State | undefined {
    this.#key = '';
    return nameChar.test(char) ? this.#readKey(char) : undefined;
  }

  #readKey(char: string): State | undefined {
    if (isBlank(char)) return 'equals';
    if (char === '=') return 'quote';
    if (!nameChar.test(char)) return undefined;
    this.#key += char.toLowerCase();
    return 'key';
  }

  #beginValue(char: string): State | undefined {
    this.#quote = char;
    this.#value = '';
    return char === '"' || char === "'" ? 'value' : undefined;
  }

  #readValue(char: string): State | undefined {
    if (char === '<') return undefined;
    if (char !== this.#quote) {
      this.#value += char;
      return 'value';
    }
    this.#attributes ??= {};
    this.#attributes[this.#key] = this.#value;
    return 'gap';
  }
}
