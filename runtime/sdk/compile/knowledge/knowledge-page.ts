import { basename } from 'node:path/posix';
import { parse } from 'yaml';
import { z } from 'zod';
import { splitFrontMatter } from '../validate/front-matter.ts';

/** One page, as it is searched and read. */
export type KnowledgeText = {
  readonly name: string;
  readonly mime: string;
  readonly body: string;
  readonly title: string;
  readonly summary: string;
  /** Tags and keywords. */
  readonly tags: string;
  readonly headings: string;
  /** Names of other pages, from its front matter. */
  readonly seeAlso: readonly string[];
};

const tagList = z.union([z.string(), z.array(z.string())]).catch('');
const Head = z.object({
  title: z.string().catch(''),
  summary: z.string().catch(''),
  tags: tagList,
  keywords: tagList,
  see_also: z.array(z.string()).catch([]),
});
const noHead = Head.parse({});

/** Takes what the front matter leaves out from the text: the title is the first heading. */
export function readPage(name: string, mime: string, body: string): KnowledgeText {
  const isMarkdown = mime === 'text/markdown';
  const { head, text } = isMarkdown ? headOf(body) : { head: noHead, text: body };
  const headings = isMarkdown ? (text.match(/^#{1,6} .+$/gm) ?? []) : [];
  const plain = headings.map((line) => line.replace(/^#+ /, ''));
  return {
    name,
    mime,
    body,
    title: head.title || plain[0] || basename(name),
    summary: head.summary,
    tags: [head.tags, head.keywords].flat().join(' '),
    headings: plain.join('\n'),
    seeAlso: head.see_also,
  };
}

/** Front matter that cannot be parsed counts as text. */
function headOf(body: string) {
  const split = splitFrontMatter(body);
  if (!split) return { head: noHead, text: body };
  try {
    const said: unknown = parse(split.head);
    return { head: Head.catch(noHead).parse(said), text: split.body };
  } catch {
    return { head: noHead, text: body };
  }
}
