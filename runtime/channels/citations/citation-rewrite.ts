import { TokenReplacer } from './citation-tokens.ts';

/**
 * Renumbers the citations of a Markdown text. A token without any known source stays as it is; a token with several
 * keeps the known ones.
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
