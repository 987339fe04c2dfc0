import { TokenReplacer } from './citation-tokens.ts';

/**
 * The same Markdown text with its citations under other numbers. A token that names nobody the map knows stays as it
 * is written; of one that names several, those the map knows remain.
 */
export function renumberCitations(
  text: string,
  toSid: (sid: number) => number | undefined,
): string {
  const replacer = new TokenReplacer(({ kind, sids }, token) => {
    const known = sids.flatMap((sid) => toSid(sid) ?? []);
    if (known.length === 0) return token;
    return `[[${kind === 'cite' ? 'S' : 'USAGE'}:${[...new Set(known)].join(',')}]]`;
  });
  return replacer.push(text) + replacer.end();
}
