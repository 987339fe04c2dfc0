import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader, Plugin } from 'esbuild';

const names = { url: '__source_url', dirname: '__source_dirname', filename: '__source_filename' };

/** For esbuild: `import.meta.url`, `dirname` and `filename` are the constants that `sourcePlace` puts in each file. */
export const sourceNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(names).map(([key, name]) => [`import.meta.${key}`, name]),
);

/** Gives each bundle file the location of its source, wherever it is built. Line numbers do not change. */
export function sourcePlace(): Plugin {
  return {
    name: 'source-place',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes('import.meta')) return undefined;
        return { contents: `${constants(path)} ${text}`, loader: loaderOf(path) };
      });
    },
  };
}

function constants(path: string): string {
  const values = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
  const pairs = [
    `${names.url} = ${JSON.stringify(values.url)}`,
    `${names.dirname} = ${JSON.stringify(values.dirname)}`,
    `${names.filename} = ${JSON.stringify(values.filename)}`,
  ];
  return `const ${pairs.join(', ')};`;
}

function loaderOf(path: string): Loader {
  const [, kind = 't', jsx] = /\.[cm]?([jt])s(x?)$/.exec(path) ?? [];
  if (kind === 'j') return jsx ? 'jsx' : 'js';
  return jsx ? 'tsx' : 'ts';
}
