import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export type Source = {
  /** From the root, with forward slashes. */
  readonly file: string;
  readonly text: string;
  /** Relative imports, type imports included, as files from the root. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
};

const specifier = /(?:from|import)\s*\(?\s*'([^']+)'/g;

/** Every product source file, read once. */
export function sources(
  folders: readonly string[] = ['runtime', 'supervisor', 'executor', 'bundles'],
): readonly Source[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => toSource(join(entry.parentPath, entry.name)));
}

function toSource(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const all = [...text.matchAll(specifier)].map((match) => match[1] ?? '');
  return {
    file: relative(root, path),
    text,
    imports: all
      .filter((name) => name.startsWith('.'))
      .map((name) => relative(root, join(dirname(path), name))),
    packages: all.filter((name) => !name.startsWith('.')),
  };
}
