import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { faults } from '../../base/faults.ts';
import { withEsbuild } from '../../base/packages/esbuild.ts';

/** Pages by name, with their scripts. Each has a folder with an HTML file and a style sheet of that name. */
const pages = { chat: 'main.tsx', studio: 'main.tsx' } as const;

/** The table of faults is for servers. Of its texts a browser shows only the one of its own fault. */
const clientFaults: Plugin = {
  name: 'client-faults',
  setup({ onLoad }) {
    const { SERVER_UNREACHABLE } = faults;
    const contents = `export const faults = ${JSON.stringify({ SERVER_UNREACHABLE })};`;
    onLoad({ filter: /[\\/]base[\\/]faults\.[jt]s$/ }, () => ({ contents, loader: 'js' }));
  },
};

/** The server does not offer this transport of engine.io. */
const noWebTransport: Plugin = {
  name: 'no-web-transport',
  setup({ onLoad }) {
    const contents = 'export class WT {}';
    onLoad({ filter: /transports[\\/]webtransport\.js$/ }, () => ({ contents, loader: 'js' }));
  },
};

const options: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  logLevel: 'silent',
  legalComments: 'none',
  plugins: [clientFaults, noWebTransport],
  conditions: ['timeloom-source'],
};

/**
 * Bundles the pages from their sources into a folder: HTML, and the files that it refers to, whose names contain a hash of
 * their content. `client.js` has no hash, because widgets import it by its name.
 */
export async function bundlePages(
  { sources, client, out }: { sources: string; client: string; out: string },
  { compress }: { compress: boolean },
): Promise<void> {
  await mkdir(out, { recursive: true });
  const metafile = await bundleEntries(sources, out);
  await withEsbuild((build) =>
    build({ ...options, entryPoints: [client], outfile: join(out, 'client.js') }),
  );
  await copyFile(join(sources, 'shared/mark.svg'), join(out, 'mark.svg'));
  for (const page of Object.keys(pages)) {
    const html = await readFile(join(sources, page, `${page}.html`), 'utf8');
    await writeFile(join(out, `${page}.html`), withHashedNames(html, page, { metafile, out }));
  }
  if (compress) await compressFiles(out);
}

async function bundleEntries(sources: string, out: string): Promise<Metafile> {
  const entryPoints = Object.entries(pages).flatMap(([page, script]) => [
    { in: join(sources, page, script), out: page },
    { in: join(sources, page, `${page}.css`), out: page },
  ]);
  const { metafile } = await withEsbuild((build) =>
    build({
      ...options,
      entryPoints,
      outdir: out,
      splitting: true,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      metafile: true,
    }),
  );
  return metafile;
}

/** Replaces the script and the style sheet of a page, and loads what the script imports without waiting for it. */
function withHashedNames(
  html: string,
  page: string,
  { metafile, out }: { metafile: Metafile; out: string },
): string {
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    name: relative(out, path),
    imports: output.imports
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path: imported }) => `/assets/${relative(out, imported)}`),
  }));
  const find = (ending: string) =>
    outputs.find(({ name }) => new RegExp(`^${page}-[A-Z0-9]{8}\\.${ending}$`).test(name));
  const [script, style] = [find('js'), find('css')];
  const preloads = (script?.imports ?? []).map(
    (path) => `<link rel="modulepreload" href="${path}" />`,
  );
  return html
    .replace(`/assets/${page}.css`, `/assets/${style?.name}`)
    .replace(`/assets/${page}.js`, `/assets/${script?.name}`)
    .replace('</head>', `${preloads.map((link) => `  ${link}\n  `).join('')}</head>`);
}

/** Writes `.br` and `.gz` beside each file, so that the server does not compress anything. */
async function compressFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes));
    await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
  }
}
