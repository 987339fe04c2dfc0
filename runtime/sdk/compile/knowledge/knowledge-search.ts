import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import MiniSearch from 'minisearch';
import { isTextual, mimeOf } from '../../../tools/files/mime.ts';
import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import {
  knowledgeBytesMax,
  knowledgeChunkPages,
  knowledgePageBytesMax,
  knowledgePagesMax,
} from '../../contract/limits.ts';
import { type KnowledgeText, readPage } from './knowledge-page.ts';

type Pages = KnowledgeSpace & { readonly all: readonly KnowledgeText[] };

/** Reads the text files of folders and indexes them in memory. A page is named by its root and the path below it. */
export async function openPages(
  roots: ReadonlyMap<string, string>,
  notice: (text: string) => void,
): Promise<Pages> {
  const pages = new Map<string, KnowledgeText>();
  let [bytes, left] = [0, 0];
  for (const [root, folder] of roots) {
    for (const file of await filesBelow(folder)) {
      const { size } = await stat(file);
      const isRoom = pages.size < knowledgePagesMax && bytes + size <= knowledgeBytesMax;
      if (!isRoom || size > knowledgePageBytesMax) {
        left += 1;
        continue;
      }
      bytes += size;
      const name = [root, ...relative(folder, file).split(sep)].join('/');
      pages.set(name, readPage(name, mimeOf(file), await readFile(file, 'utf8')));
    }
  }
  if (left > 0)
    notice(`${left} files of its knowledge were left out: they are too large or too many`);
  const all = [...pages.values()];
  const index = await indexOf(all);
  return {
    all,
    search: async (query, { limit }) =>
      index
        .search(query)
        .slice(0, limit)
        .flatMap(({ id, score }) => {
          const page = pages.get(String(id));
          return page ? [toHit(page, score)] : [];
        }),
    read: async (name) => pages.get(name) ?? listing(name, all),
  };
}

function toHit({ name, title, summary }: KnowledgeText, score: number) {
  return {
    path: `ks:${name}` as const,
    title,
    ...(summary === '' ? {} : { summary }),
    score: Number(score.toPrecision(4)),
  };
}

async function indexOf(all: readonly KnowledgeText[]): Promise<MiniSearch<KnowledgeText>> {
  const index = new MiniSearch<KnowledgeText>({
    idField: 'name',
    fields: ['title', 'summary', 'tags', 'headings', 'name', 'body'],
    searchOptions: {
      boost: { title: 4, tags: 3, summary: 2, headings: 2 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  });
  await index.addAllAsync(all, { chunkSize: knowledgeChunkPages });
  return index;
}

/** Lists a folder: each page below it, with its title. */
function listing(name: string, all: readonly KnowledgeText[]) {
  const folder = name === '' || name.endsWith('/') ? name : `${name}/`;
  const below = all.filter((page) => page.name.startsWith(folder));
  if (below.length === 0) return undefined;
  const body = below.map((page) => `- ks:${page.name} · ${page.title}`).join('\n');
  return { mime: 'text/markdown', body };
}

/** Text files sorted by name, without hidden files, packages and links. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && isTextual(mimeOf(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(folder, file).split(sep).some(isOut))
    .toSorted();
}

function isOut(part: string): boolean {
  return part.startsWith('.') || part === 'node_modules';
}
