const mention =
  /\b(?:conv:)?(?:so:[\w.]*sources_pool\[[^\]\s]*\]|(?:ar|tc|fi|ws|su|sk|ks):[^\s"'`<>()|,;]+)/g;

/** The paths in a text, as spelled there, without shortened ones. */
export function refsIn(text: string): readonly string[] {
  const whole = [...text.matchAll(mention)].map(([found]) => trimmed(found));
  return [...new Set(whole.filter((path) => !/…|\.{3}/.test(path)))];
}

/** Marks every path in the text that does not resolve, so that no reader tries it. */
export function markRefs(text: string, missing: ReadonlySet<string>): string {
  if (missing.size === 0) return text;
  return text.replace(mention, (found) => {
    const path = trimmed(found);
    return missing.has(path) ? `(no such path)${found.slice(path.length)}` : found;
  });
}

/** Punctuation after a path belongs to the sentence; a closing bracket belongs to the path if the path opened it. */
function trimmed(found: string): string {
  const bare = found.replace(/[.:!?*]+$/, '');
  return bare.includes('[') ? bare : bare.replace(/\]+$/, '');
}
