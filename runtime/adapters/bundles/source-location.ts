import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader, Plugin } from 'esbuild';

const names = { url: '__source_url', dirname: '__source_dirname', filename: '__source_filename' };

/** For esbuild: `import.meta.url`, `dirname` and `filename` are the constants that `sourcePlace` puts in each file. */
export const sourceNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(names).map(([key, name]) => [`import.meta.${key}`, name]),
);

/** Expressions for what `import.meta` says in a file. */
type Place = Readonly<Record<keyof typeof names, string>>;

/** Gives each bundled file the location of its source, wherever it is built. Line numbers do not change. */
export function sourcePlace(placeOf: (path: string) => Place = ownPlace): Plugin {
  return {
    name: 'source-place',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes('import.meta')) return undefined;
        return { contents: `${constants(placeOf(path))} ${text}`, loader: loaderOf(path) };
      });
    },
  };
}

function ownPlace(path: string): Place {
  return {
    url: JSON.stringify(pathToFileURL(path).href),
    dirname: JSON.stringify(dirname(path)),
    filename: JSON.stringify(path),
  };
}

function constants({ url, dirname, filename }: Place): string {
  return `const ${names.url} = ${url}, ${names.dirname} = ${dirname}, ${names.filename} = ${filename};`;
}

function loaderOf(path: string): Loader {
  const [, kind = 't', jsx] = /\.[cm]?([jt])s(x?)$/.exec(path) ?? [];
  if (kind === 'j') return jsx ? 'jsx' : 'js';
  return jsx ? 'tsx' : 'ts';
}
