import { isHighSurrogate, isLowSurrogate } from '../protocol/clean-text.ts';

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Decodes one JSON string after its opening quote: runs of plain characters, and the others one UTF-16 unit at a time. */
export class JsonString {
  readonly #give: ((text: string) => void) | undefined;
  #mode: 'plain' | 'escape' | 'unicode' = 'plain';
  #hex = '';
  #high = '';
  /** The string contains an unescaped control character, which JSON forbids. */
  raw = false;

  /** `give` receives the decoded characters. Surrogate pairs stay together, raw or escaped; a lone half becomes U+FFFD. */
  constructor(give: ((text: string) => void) | undefined) {
    this.#give = give;
  }

  /** Neither an escape nor half of a surrogate pair is incomplete. */
  get isPlain(): boolean {
    return this.#mode === 'plain' && this.#high === '';
  }

  /** Takes the next characters that stand for themselves, up to `to`; returns the index of the first other one. */
  plain(text: string, from: number, to: number): number {
    if (!this.isPlain) return from;
    let at = from;
    while (at < to && isPlain(text.charCodeAt(at))) at += 1;
    if (at > from && this.#give !== undefined) this.#give(text.slice(from, at));
    return at;
  }

  step(char: string): 'more' | 'end' | 'fault' {
    if (this.#mode === 'escape') return this.#escaped(char);
    if (this.#mode === 'unicode') return this.#digit(char);
    if (char === '"') return this.#end();
    if (char === '\\') this.#mode = 'escape';
    else this.#plain(char);
    return 'more';
  }

  #end(): 'end' {
    this.#flush();
    return 'end';
  }

  #plain(char: string): void {
    if (char < ' ') this.raw = true;
    this.#take(char);
  }

  #escaped(char: string): 'more' | 'fault' {
    const plain = escapes[char];
    if (plain === undefined && char !== 'u') return 'fault';
    this.#mode = plain === undefined ? 'unicode' : 'plain';
    this.#hex = '';
    if (plain !== undefined) this.#take(plain);
    return 'more';
  }

  #digit(char: string): 'more' | 'fault' {
    if (!/[0-9a-fA-F]/.test(char)) return 'fault';
    this.#hex += char;
    if (this.#hex.length === 4) {
      this.#mode = 'plain';
      this.#take(String.fromCharCode(Number.parseInt(this.#hex, 16)));
    }
    return 'more';
  }

  #take(unit: string): void {
    const code = unit.charCodeAt(0);
    if (this.#high !== '' && isLowSurrogate(code)) {
      this.#give?.(this.#high + unit);
      this.#high = '';
      return;
    }
    this.#flush();
    if (isHighSurrogate(code)) this.#high = unit;
    else this.#give?.(unit.toWellFormed());
  }

  #flush(): void {
    if (this.#high !== '') this.#give?.(this.#high.toWellFormed());
    this.#high = '';
  }
}

/** Not a quote, a backslash, a control character or half of a surrogate pair. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c && (code < 0xd800 || code > 0xdfff);
}
