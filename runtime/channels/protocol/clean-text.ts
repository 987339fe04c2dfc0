/**
 * Characters that show nothing: zero-width space and no-break space (BOM), word joiner and invisible
 * operators, direction marks, embeddings, overrides and isolates. They hide text from people or turn it around.
 */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]/;
/** These two join or part letters of many scripts, and emoji; they are kept where they can do so. */
const joiner = /[\u200c\u200d]/;

/** Takes text in any cut and gives it back without invisible characters and never cut inside a surrogate pair. */
export class TextCleaner {
  #last = '';
  #carry = '';

  push(text: string): string {
    let whole = this.#carry + text;
    this.#carry = '';
    if (isHighSurrogate(whole.charCodeAt(whole.length - 1))) {
      this.#carry = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    return this.#clean(whole);
  }

  /** What was carried: half of a pair whose other half never came. */
  end(): string {
    const rest = this.#carry;
    this.#carry = '';
    return rest;
  }

  #clean(text: string): string {
    if (text === '') return '';
    const clean = invisible.test(text) ? this.#filter(text) : text;
    if (clean !== '') this.#last = clean.charAt(clean.length - 1);
    return clean;
  }

  #filter(text: string): string {
    let kept = '';
    for (let i = 0; i < text.length; i += 1) {
      const char = text.charAt(i);
      const before = kept === '' ? this.#last : kept.charAt(kept.length - 1);
      if (!invisible.test(char) || (joiner.test(char) && joins(before))) kept += char;
    }
    return kept;
  }
}

/** Kept after a letter or sign beyond ASCII, one in a row. */
function joins(before: string): boolean {
  return before > '\u007f' && !joiner.test(before);
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
