import { RE2JS, RE2JSException } from 're2js';

export type Regex =
  | {
      readonly ok: true;
      test(line: string): boolean;
      /** Where the first match begins; -1: there is none. */
      search(line: string): number;
      /** Steps that one character may cost at the worst. */
      readonly size: number;
    }
  | { readonly ok: false; readonly because: string };

/**
 * A pattern that somebody else wrote, matched in time linear in the text whatever it says: no look-around, no
 * back-references. `(?i)` in front ignores case.
 */
export function toRegex(pattern: string): Regex {
  try {
    const regex = RE2JS.compile(pattern);
    return {
      ok: true,
      test: (line) => regex.test(line),
      // Whether there is one at all is known much sooner.
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
