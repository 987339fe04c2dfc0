import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './tree.ts';

const ignored = new Set([
  '.git',
  ...readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/^\/|\/$/g, '')),
]);

export type ProjectFile = { readonly file: string; readonly text: string };

/** Every file of the project, as it would be committed, with its text. */
export function projectFiles(ending = ''): readonly ProjectFile[] {
  return walk(root)
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ file: relative(root, path), text: readFileSync(path, 'utf8') }));
}

/** Names at the top of the project, sorted. */
export function topLevel(): readonly string[] {
  return readdirSync(root).filter(isKept).toSorted();
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => isKept(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
    });
}

function isKept(name: string): boolean {
  return !ignored.has(name) && !name.endsWith('.log');
}
