/** Nesting levels of arrays and objects. */
export const jsonDepthMax = 64;
/** Values and names, counted by `[`, `{`, `,` and `:` outside strings. */
export const jsonValuesMax = 50_000;
/** Characters outside strings, plus quotes and escapes: the ones that the parser reads one by one. */
const jsonTokensMax = 512 * 1024;

const quote = 0x22;
/** By character: how it changes the depth, and how many values it adds. */
const structure: ReadonlyMap<number, { readonly depth: number; readonly values: number }> = new Map(
  [
    ['[', 1, 1] as const,
    ['{', 1, 1] as const,
    [']', -1, 0] as const,
    ['}', -1, 0] as const,
    [',', 0, 1] as const,
    [':', 0, 1] as const,
  ].map(([char, depth, values]) => [char.charCodeAt(0), { depth, values }]),
);

/**
 * Why a JSON text is too expensive to parse, regardless of its length. Undefined: it is not. Text that is not JSON may
 * pass; the parser rejects it at its first wrong character. Long strings cost almost nothing, here and in the parser.
 */
export function jsonExcess(text: string): string | undefined {
  const strings = new StringReader(text);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === quote) at = strings.endOf(at);
    const change = structure.get(char);
    if (change) {
      depth += change.depth;
      values += change.values;
    }
    strings.tokens += 1;
    const excess = excessOf({ depth, values, tokens: strings.tokens });
    if (excess !== undefined) return excess;
  }
  return undefined;
}

type Size = { readonly depth: number; readonly values: number; readonly tokens: number };

function excessOf({ depth, values, tokens }: Size): string | undefined {
  if (depth > jsonDepthMax) return `it is nested deeper than ${jsonDepthMax} levels`;
  if (values > jsonValuesMax) return `it has more than ${jsonValuesMax} values and names`;
  return tokens > jsonTokensMax ? `it has more than ${jsonTokensMax} tokens` : undefined;
}

/** Finds the ends of strings by jumping from one quote or escape to the next. */
class StringReader {
  readonly #text: string;
  #quote = -1;
  #escape = -1;
  tokens = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Index of the closing quote of the string that opens at `start`; the end of the text if there is none. */
  endOf(start: number): number {
    for (let at = start + 1; this.tokens <= jsonTokensMax; this.tokens += 1) {
      if (this.#quote < at) this.#quote = this.#find('"', at);
      if (this.#escape < at) this.#escape = this.#find('\\', at);
      if (this.#quote <= this.#escape) return this.#quote;
      at = this.#escape + 2;
    }
    return this.#text.length;
  }

  #find(char: string, from: number): number {
    const found = this.#text.indexOf(char, from);
    return found === -1 ? this.#text.length : found;
  }
}

/** Parses a text from an untrusted source. `because`: why it was rejected. */
export function readJson(
  text: string,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly because: string } {
  const excess = jsonExcess(text);
  if (excess !== undefined) return { ok: false, because: excess };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, because: String(error).slice(0, 200) };
  }
}
