import { citationCharsMax, citationSidsMax } from '../protocol/limits.ts';

export type Citation = { readonly kind: 'cite' | 'usage'; readonly sids: readonly number[] };

type State = 'first' | 'second' | 'kind' | 'colon' | 'ids' | 'last';

/** `[` and its wide forms `［` and `【`. */
const openings: ReadonlySet<number> = new Set([0x5b, 0xff3b, 0x3010]);
const closing = /[\]］】]/;
const colon = /[:：]/;
const idChar = /[\d,，、;\-‐‑‒–—−]/;
const blank = /[ \t\u00a0\u3000]/;

export function opensCitation(code: number): boolean {
  return openings.has(code);
}

/**
 * Reads one citation token, one character at a time, after its first bracket: `[[S:1]]`, `[[S:1,3]]`, `[[S:2-4]]`,
 * `[[USAGE:1,3]]`. Accepts any case, blanks inside, full-width brackets, colons and commas, and any dash.
 */
export class CitationReader {
  #state: State = 'first';
  #length = 1;
  #kind = '';
  #ids = '';

  get citation(): Citation {
    return { kind: this.#kind === 'S' ? 'cite' : 'usage', sids: expand(this.#ids) };
  }

  step(char: string): 'more' | 'token' | 'text' {
    this.#length += 1;
    if (this.#length > citationCharsMax) return 'text';
    if (this.#state === 'last' && closing.test(char)) return 'token';
    const next = this.#next(char);
    if (next === undefined) return 'text';
    this.#state = next;
    return 'more';
  }

  #next(char: string): State | undefined {
    switch (this.#state) {
      case 'first':
        return opensCitation(char.charCodeAt(0)) ? 'second' : undefined;
      case 'second':
        return blank.test(char) ? 'second' : this.#inKind(char);
      case 'kind':
        return this.#inKind(char);
      case 'colon':
        return this.#beforeIds(char);
      case 'ids':
        return closing.test(char) ? 'last' : this.#inIds(char);
      default:
        return blank.test(char) ? 'last' : undefined;
    }
  }

  #inKind(char: string): State | undefined {
    if (this.#kind === 'S' || this.#kind === 'USAGE') return this.#beforeIds(char);
    this.#kind += char.toUpperCase();
    return this.#kind === 'S' || 'USAGE'.startsWith(this.#kind) ? 'kind' : undefined;
  }

  #beforeIds(char: string): State | undefined {
    if (colon.test(char)) return 'ids';
    return blank.test(char) ? 'colon' : undefined;
  }

  #inIds(char: string): State | undefined {
    if (blank.test(char)) return 'ids';
    if (!idChar.test(char)) return undefined;
    this.#ids += /[,，、;]/.test(char) ? ',' : /\d/.test(char) ? char : '-';
    return 'ids';
  }
}

/** `1,3-5` as 1, 3, 4, 5: each once, in order. Safe for ranges of any size. */
function expand(ids: string): readonly number[] {
  const sids = new Set<number>();
  for (const part of ids.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    const bounds = [match?.[1], match?.[2] ?? match?.[1]].map(Number);
    for (let sid = Math.min(...bounds); sid <= Math.max(...bounds); sid += 1) {
      if (sids.size === citationSidsMax) return [...sids];
      if (sid > 0) sids.add(sid);
    }
  }
  return [...sids];
}
