/** Splits off the YAML between two `---` lines at the very beginning. Undefined if there is none. */
export function splitFrontMatter(
  text: string,
): { readonly head: string; readonly body: string } | undefined {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return match?.[1] ? { head: match[1], body: text.slice(match[0].length) } : undefined;
}
