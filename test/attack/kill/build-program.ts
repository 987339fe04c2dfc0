import { readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/** Each file of ours goes on believing that it is where it was. */
const inPlace: Plugin = {
  name: 'in-place',
  setup(building) {
    building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * A program of ours that Node starts as it is, in a folder that is there and empty; its packages stay where they are.
 * Translating its sources would be two thirds of the work of each start. Returns its path.
 */
export async function buildProgram(entry: string, folder: string): Promise<string> {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const outdir = join(folder, 'built');
  await build({
    entryPoints: [join(root, entry)],
    ...{ outdir, outExtension: { '.js': '.mjs' }, splitting: true, bundle: true },
    ...{ platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' },
    ...{ packages: 'external', conditions: ['timeloom-source'], plugins: [inPlace] },
  });
  return join(outdir, `${basename(entry, '.ts')}.mjs`);
}
