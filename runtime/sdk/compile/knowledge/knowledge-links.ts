import { dirname, join } from 'node:path/posix';
import { knowledgeLinksShown } from '../../contract/limits.ts';
import type { KnowledgeText } from './knowledge-page.ts';

/** Broken links between pages, one sentence each. Beyond the limit only their number is given. */
export function brokenLinks(pages: readonly KnowledgeText[]): readonly string[] {
  const names = new Set(pages.flatMap(({ name }) => withFolders(name)));
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !names.has(link))
      .map((link) => `ks:${page.name} links to ks:${link}, which does not exist`),
  );
  const more = broken.length - knowledgeLinksShown;
  const shown = broken.slice(0, knowledgeLinksShown);
  return more > 0 ? [...shown, `${more} more links in its knowledge are broken`] : shown;
}

function withFolders(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Links to other pages: `ks:` names and, in Markdown, relative links. */
function linksOf({ name, mime, body, seeAlso }: KnowledgeText): readonly string[] {
  const found = mime === 'text/markdown' ? body.matchAll(/\]\(([^)\s#]+)[^)]*\)/g) : [];
  const links = [...found].map(([, link = '']) => link);
  return [...new Set([...links, ...seeAlso])].flatMap((link) => {
    if (link.startsWith('ks:')) return [link.slice(3)];
    return /^[a-z][a-z0-9+.-]*:|^[/#]/i.test(link) ? [] : [join(dirname(name), decodeURI(link))];
  });
}
