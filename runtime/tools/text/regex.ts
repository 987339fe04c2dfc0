import { RE2JS, RE2JSException } from 're2js';

export type Regex =
  | {
      readonly ok: true;
      test(line: string): boolean;
      /** Where the first match begins, or -1. */
      search(line: string): number;
      /** Worst-case steps per character. */
      readonly size: number;
    }
  | { readonly ok: false; readonly because: string };

/**
 * Compiles an untrusted pattern so that matching always takes time linear in the text: no look-around, no
 * back-references. A leading `(?i)` ignores case.
 */
export function toRegex(pattern: string): Regex {
  try {
    const regex = RE2JS.compile(pattern);
    return {
      ok: true,
      test: (line) => regex.test(line),
      // Testing for a match is much faster than locating it.
      search: (line) => {
        const matcher = regex.test(line) ? regex.matcher(line) : undefined;
        return matcher?.find() ? matcher.start() : -1;
      },
      size: regex.programSize(),
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const lacks = /\(\?[=!<]|\\[1-9]/.test(pattern)
      ? '; look-around and back-references are not supported'
      : '';
    return { ok: false, because: `${error.message.slice(0, 300)}${lacks}` };
  }
}
