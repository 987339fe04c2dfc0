const mention =
  /\b(?:conv:)?(?:so:[\w.]*sources_pool\[[^\]\s]*\]|(?:ar|tc|fi|ws|su|sk|ks):[^\s"'`<>()|,;]+)/g;

/** Paths that a text names, as they are spelled there; one that is shortened names none. */
export function refsIn(text: string): readonly string[] {
  const whole = [...text.matchAll(mention)].map(([found]) => trimmed(found));
  return [...new Set(whole.filter((path) => !/…|\.{3}/.test(path)))];
}

/** The text with every path that leads nowhere marked, so that nobody reads in vain. */
export function markRefs(text: string, missing: ReadonlySet<string>): string {
  if (missing.size === 0) return text;
  return text.replace(mention, (found) => {
    const path = trimmed(found);
    return missing.has(path) ? `(no such path)${found.slice(path.length)}` : found;
  });
}

/** Punctuation after a path is the sentence's; a bracket belongs to the path that opened it. */
function trimmed(found: string): string {
  const bare = found.replace(/[.:!?*]+$/, '');
  return bare.includes('[') ? bare : bare.replace(/\]+$/, '');
}
