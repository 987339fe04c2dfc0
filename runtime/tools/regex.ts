import { RE2JS, RE2JSException } from 're2js';

export type Regex =
  | { readonly ok: true; test(line: string): boolean }
  | { readonly ok: false; readonly because: string };

/**
 * A pattern that somebody else wrote, matched in time linear in the text whatever it says: no look-around, no
 * back-references. `(?i)` in front ignores case.
 */
export function toRegex(pattern: string): Regex {
  try {
    const regex = RE2JS.compile(pattern);
    return { ok: true, test: (line) => regex.test(line) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const lacks = /\(\?[=!<]|\\[1-9]/.test(pattern)
      ? '; look-around and back-references are not supported'
      : '';
    return { ok: false, because: `${error.message.slice(0, 300)}${lacks}` };
  }
}
