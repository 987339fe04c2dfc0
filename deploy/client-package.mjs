import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireNode } from './require-node.mjs';
import { build, installPackages, root } from './steps.mjs';

/** Runs before and after `npm pack` of the client: copies the built client and every file that it imports into its package. */
await requireNode();
const target = join(root, 'runtime/client/dist');
rmSync(target, { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
  installPackages();
  build();
  const built = join(root, 'dist/runtime');
  const done = new Set();
  for (const entry of ['client/index.js', 'client/react.js', 'client/story/story.js'])
    copy(built, entry, done);
  // The table of faults is for servers: the client throws one of them, and names others by their codes.
  const file = join(target, 'base/faults.js');
  const { SERVER_UNREACHABLE } = (await import(file)).faults;
  writeFileSync(file, `export const faults = ${JSON.stringify({ SERVER_UNREACHABLE })};\n`);
}

function copy(built, file, done) {
  if (done.has(file)) return;
  done.add(file);
  for (const name of [file, file.replace(/\.js$/, '.d.ts')]) {
    if (!existsSync(join(built, name))) continue;
    mkdirSync(dirname(join(target, name)), { recursive: true });
    cpSync(join(built, name), join(target, name));
    const text = readFileSync(join(built, name), 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+?)\.(?:js|ts)['"]/g)) {
      copy(built, join(dirname(name), `${path}.js`), done);
    }
  }
}
