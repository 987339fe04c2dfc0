/** In the text of a skill, `{{name}}` stands for the value of its argument. */
const placeholder = /\{\{([a-z][\w-]*)\}\}/gi;

export const argumentNameShape = /^[a-z][\w-]*$/i;

export function placeholdersIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(placeholder)].map(([, name = '']) => name));
}

/** Replaces each placeholder once: a value that looks like a placeholder stays as it is. A missing value is empty. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(placeholder, (_, name: string) => values.get(name) ?? '');
}

/** Characters of the text that `fillPlaceholders` makes. */
export function filledChars(text: string, values: ReadonlyMap<string, string>): number {
  return [...text.matchAll(placeholder)].reduce(
    (chars, [whole, name = '']) => chars - whole.length + (values.get(name)?.length ?? 0),
    text.length,
  );
}
