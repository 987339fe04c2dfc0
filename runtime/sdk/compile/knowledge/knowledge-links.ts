import { dirname, join } from 'node:path/posix';
import { knowledgeLinksShown } from '../../contract/limits.ts';
import type { KnowledgeText } from './knowledge-page.ts';

/** Links between pages that lead nowhere, a sentence each; of many, how many more. */
export function brokenLinks(pages: readonly KnowledgeText[]): readonly string[] {
  const names = new Set(pages.flatMap(({ name }) => withFolders(name)));
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !names.has(link))
      .map((link) => `ks:${page.name} links to ks:${link}, which is not there`),
  );
  const more = broken.length - knowledgeLinksShown;
  const told = broken.slice(0, knowledgeLinksShown);
  return more > 0 ? [...told, `${more} more links of its knowledge lead nowhere`] : told;
}

function withFolders(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** To other pages: `ks:` names, and in Markdown what is relative to the page. */
function linksOf({ name, mime, body, seeAlso }: KnowledgeText): readonly string[] {
  const found = mime === 'text/markdown' ? body.matchAll(/\]\(([^)\s#]+)[^)]*\)/g) : [];
  const links = [...found].map(([, link = '']) => link);
  return [...new Set([...links, ...seeAlso])].flatMap((link) => {
    if (link.startsWith('ks:')) return [link.slice(3)];
    return /^[a-z][a-z0-9+.-]*:|^[/#]/i.test(link) ? [] : [join(dirname(name), decodeURI(link))];
  });
}
