import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { Fault } from '../../base/fault.ts';
import { withEsbuild } from '../../base/packages/esbuild.ts';
import { messagesOf } from './build-messages.ts';

/** The folder, inside that of a page with packages, from which it is served. */
export const builtFolder = 'dist';

/** Whether a page has packages or sources that must be built before it can be served. */
export function needsBuild(folder: string): boolean {
  return existsSync(join(folder, 'package.json'));
}

const moduleScript = /<script\b[^>]*\bsrc="(?![a-z]+:|\/\/)\.?\/?([^"?#]+)"[^>]*>\s*<\/script>/gi;

/**
 * Builds a page: the scripts that its index.html names become files with their packages and styles, and `public/` is copied.
 * No script of a package runs. The page before it is replaced at the end. Fault `BUNDLE_INVALID`.
 */
export async function buildPage(folder: string): Promise<void> {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) throw invalid(folder, ['index.html not found']);
  const html = await readFile(page, 'utf8');
  const scripts = [...html.matchAll(moduleScript)].map(([, path = '']) => path);
  const outside = scripts.filter((path) => relative(folder, join(folder, path)).startsWith('..'));
  if (outside.length > 0) throw invalid(folder, [`${outside[0]} is not in the folder of the page`]);
  const draft = join(folder, `.${builtFolder}-${randomUUID()}`);
  try {
    await mkdir(draft);
    const built = scripts.length === 0 ? [] : await buildScripts(scripts, { folder, draft });
    const shared = join(folder, 'public');
    if (existsSync(shared)) await cp(shared, draft, { recursive: true });
    await writeFile(join(draft, 'index.html'), withBuilt(html, new Map(built)));
    const place = join(folder, builtFolder);
    await rm(place, { recursive: true, force: true });
    await rename(draft, place);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

type BuiltScript = { readonly script: string; readonly style: string | undefined };
type Target = { readonly folder: string; readonly draft: string };

async function buildScripts(
  scripts: readonly string[],
  { folder, draft }: Target,
): Promise<readonly (readonly [string, BuiltScript])[]> {
  try {
    const { metafile } = await withEsbuild((build) =>
      build({
        ...{ absWorkingDir: folder, entryPoints: scripts.map((path) => `./${path}`) },
        ...{
          outdir: join(draft, 'assets'),
          entryNames: '[name]-[hash]',
          assetNames: '[name]-[hash]',
        },
        ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022' },
        ...{ minify: true, metafile: true, logLevel: 'silent', jsx: 'automatic' },
        loader: Object.fromEntries(fileTypes.map((type) => [type, 'file' as const])),
        plugins: [ownClient],
      }),
    );
    return scripts.map((path) => [path, outputOf(path, { folder, draft, metafile })] as const);
  } catch (cause) {
    throw invalid(folder, messagesOf(cause, folder) ?? [String(cause)], cause);
  }
}

const fileTypes = ['.png', '.jpg', '.jpeg', '.gif', '.svg', '.webp', '.woff', '.woff2', '.wasm'];

/** The client library comes from the server, so that it fits its version. */
const ownClient: Plugin = {
  name: 'own-client',
  setup(build) {
    build.onResolve({ filter: /^(timeloom\/client|\/assets\/client\.js)$/ }, () => {
      return { path: '/assets/client.js', external: true };
    });
  },
};

function outputOf(
  path: string,
  { folder, draft, metafile }: Target & { metafile: Metafile },
): BuiltScript {
  const found = Object.entries(metafile.outputs).find(([, each]) => each.entryPoint === path);
  const [file = '', output] = found ?? [];
  const inPage = (name: string) => relative(draft, join(folder, name)).split(sep).join('/');
  return { script: inPage(file), style: output?.cssBundle && inPage(output.cssBundle) };
}

function withBuilt(html: string, built: ReadonlyMap<string, BuiltScript>): string {
  return html.replaceAll(moduleScript, (tag: string, path: string) => {
    const output = built.get(path);
    if (!output) return tag;
    const style = output.style ? `<link rel="stylesheet" href="./${output.style}">` : '';
    return `${style}<script type="module" src="./${output.script}"></script>`;
  });
}

function invalid(folder: string, problems: readonly string[], cause?: unknown): Fault {
  const because = `${basename(folder)}: ${problems.join('; ')}`;
  return new Fault('BUNDLE_INVALID', { dir: folder, problems, because }, { cause });
}
