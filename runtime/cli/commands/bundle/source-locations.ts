import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { locationsShownMax } from './limits.ts';

/** Finds the source lines of a bundle that a problem refers to. */
export type SourceLocations = {
  /** `file:line` of what a problem names; empty if no file contains it. */
  of(problem: string): readonly string[];
};

type Line = { readonly place: string; readonly text: string };

const sourceFiles = /\.(ts|tsx|js|mjs|py)$/;
const ignoredPaths = /(^|\/)(node_modules|\.[^/]+|ui)\/|\.test\.\w+$/;

/**
 * The loader knows definitions but not their source lines, so this searches the sources for what a message quotes: file
 * names first, then quoted names, the last one first because it is the most specific.
 */
export async function readSourceLocations(dir: string): Promise<SourceLocations> {
  const lines = await linesOf(dir);
  return {
    of: (problem) => {
      for (const name of namesIn(problem)) {
        const found = lines.filter(({ text }) => isQuoted(text, name));
        if (found.length > 0) return found.slice(0, locationsShownMax).map(({ place }) => place);
      }
      return [];
    },
  };
}

async function linesOf(dir: string): Promise<readonly Line[]> {
  const items = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = items
    .filter((item) => item.isFile() && sourceFiles.test(item.name))
    .map((item) => relative(dir, join(item.parentPath, item.name)))
    .filter((file) => !ignoredPaths.test(file));
  const texts = await Promise.all(
    files.toSorted().map(async (file) => [file, await readFile(join(dir, file), 'utf8')] as const),
  );
  return texts.flatMap(([file, text]) =>
    text.split('\n').map((line, index) => ({ place: `${file}:${index + 1}`, text: line })),
  );
}

function namesIn(problem: string): readonly string[] {
  const files = [...problem.matchAll(/(?:^|\s)(\.{0,2}\/?[\w./-]+\.(?:md|py|mjs|js))(?=\s|$)/g)];
  const quoted = [...problem.matchAll(/“([^”]+)”/g)].toReversed();
  return [...files, ...quoted].map(([, name = '']) => name);
}

/** As a string, or as the key of an object. */
function isQuoted(text: string, name: string): boolean {
  if ([`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => text.includes(quoted)))
    return true;
  return /^\w+$/.test(name) && new RegExp(`(^|[\\s{,])${name}:`).test(text);
}
