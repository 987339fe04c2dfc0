/**
 * Invisible characters: zero-width space and no-break space (BOM), word joiner and invisible operators, direction marks,
 * embeddings, overrides and isolates. They can hide text from people or reverse its direction.
 */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]/;
/** These two join or separate letters of many scripts and emoji; they are kept where they have that effect. */
const joiner = /[\u200c\u200d]/;

/** Removes invisible characters from a text that arrives in pieces, and never splits a surrogate pair. */
export class TextCleaner {
  #last = '';
  #carry = '';

  push(text: string): string {
    if (hasNothingInvisible(text) && this.pass(text)) return text;
    let whole = this.#carry + text;
    this.#carry = '';
    if (isHighSurrogate(whole.charCodeAt(whole.length - 1))) {
      this.#carry = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    return this.#clean(whole);
  }

  /** Takes a text that needs no cleaning. False: the text before it is not complete. */
  pass(text: string): boolean {
    if (this.#carry !== '') return false;
    if (text !== '') this.#last = text;
    return true;
  }

  /** Returns what was held back: half of a pair whose other half never arrived. */
  end(): string {
    const rest = this.#carry;
    this.#carry = '';
    return rest;
  }

  #clean(text: string): string {
    if (text === '') return '';
    const clean = invisible.test(text) ? this.#filter(text) : text;
    if (clean !== '') this.#last = clean;
    return clean;
  }

  #filter(text: string): string {
    let kept = '';
    // The end of `kept` is not read from it: that would copy all of it for each character.
    let before = this.#last.slice(-1);
    for (let i = 0; i < text.length; i += 1) {
      const char = text.charAt(i);
      if (invisible.test(char) && !(joiner.test(char) && joins(before))) continue;
      kept += char;
      before = char;
    }
    return kept;
  }
}

/** Nothing to remove: nearly every delta. */
function hasNothingInvisible(text: string): boolean {
  for (let at = 0; at < text.length; at += 1)
    if (mayNeedCleaning(text.charCodeAt(at))) return false;
  return true;
}

/** Whether a character may be invisible, or is half of a pair. */
export function mayNeedCleaning(code: number): boolean {
  if (code < 0x61c) return false;
  return (code >= 0x200b && code <= 0x2069) || isHalf(code) || code === 0xfeff || code === 0x61c;
}

/** Whether a joiner is kept: after a non-ASCII character, and not after another joiner. */
function joins(before: string): boolean {
  return before > '\u007f' && !joiner.test(before);
}

function isHalf(code: number): boolean {
  return isHighSurrogate(code) || isLowSurrogate(code);
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
