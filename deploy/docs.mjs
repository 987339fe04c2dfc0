import { join } from 'node:path';
import { requireNode } from './require-node.mjs';
import { installPackages, root, run, say } from './steps.mjs';

/** `npm run docs [-- dev]`: builds the documents as a static site in dist/docs; `dev` serves them while you write. */
await requireNode();
installPackages();
const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
const command = process.argv[2] ?? 'build';
run(process.execPath, [vitepress, command, 'docs', ...process.argv.slice(3)]);
if (command === 'build') say('built dist/docs; any web server of static files serves it');
