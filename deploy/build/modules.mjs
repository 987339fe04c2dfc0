import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { sourceNames, sourcePlace } from '../../dist/runtime/adapters/bundles/source-location.js';
import { root } from '../steps.mjs';

/**
 * Bundles the modules of each program into a few files, because loading a thousand small ones takes most of a start.
 * Packages stay outside. What two programs share is one file, so that a bundle and the server have the same SDK.
 */
const entries = {
  main: 'runtime/cli/main',
  'command-line': 'runtime/cli/command-line',
  sdk: 'runtime/sdk/index',
  channels: 'runtime/channels/index',
  testing: 'runtime/testing/index',
  'inspection-thread': 'runtime/gateway/inspection/thread',
  'page-thread': 'runtime/adapters/web/page-thread',
  'bundle-process': 'supervisor/bundle-process/child/child-main',
};
const folder = join(root, 'dist/modules');
/** A server that runs since before the build still loads files of its own build. */
const keepMs = 24 * 60 * 60 * 1000;

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, `${source}.ts`]),
  ),
  outdir: folder,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  define: sourceNames,
  plugins: [sourcePlace(compiledPlace)],
});
for (const [name, source] of Object.entries(entries)) writeEntry(name, source);
const built = new Set(Object.keys(metafile.outputs).map((file) => join(root, file)));
for (const name of readdirSync(folder)) {
  const file = join(folder, name);
  if (!built.has(file) && statSync(file).mtimeMs < Date.now() - keepMs) rmSync(file);
}

/** Replaces the compiled module of an entry, so that its path leads to the bundled one. */
function writeEntry(name, source) {
  const file = join(root, `dist/${source}.js`);
  const path = relative(dirname(file), join(folder, `${name}.js`));
  const first = name === 'main' ? '#!/usr/bin/env node\n' : '';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${first}export * from '${path}';\n`);
}

/** Expressions for where the compiled file of a source is, with other files beside it, as a bundled file sees it. */
function compiledPlace(path) {
  const url = `import.meta.resolve('../${relative(root, path).replace(/ts$/, 'js')}')`;
  const filename = `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
  return { url, filename, dirname: `process.getBuiltinModule('node:path').dirname(${filename})` };
}
