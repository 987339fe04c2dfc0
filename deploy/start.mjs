import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireNode } from './require-node.mjs';
import { build, installPackages, root } from './steps.mjs';

/** `npm start`, `npm run demo` and `npm run timeloom -- …`: install what is missing, then run the command. */
await requireNode();
installPackages();
build();

const args = process.argv.slice(2);
if (args[0] === 'demo' || args[0] === 'serve') {
  const { prepareSandbox } = await import('./prepare-sandbox.mjs');
  prepareSandbox();
}
const main = join(root, 'dist/runtime/cli/main.js');
process.argv = [process.execPath, main, ...args];
await import(pathToFileURL(main).href);
