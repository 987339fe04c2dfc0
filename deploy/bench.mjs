import { join } from 'node:path';
import { requireNode } from './require-node.mjs';
import { build, installPackages, root, run } from './steps.mjs';

/** `npm run bench [-- area… --json]`: benchmarks the current sources against the obvious alternatives. */
await requireNode();
installPackages();
// One area measures the program as it is started by operators.
build();
const node = ['--import', 'tsx', '--conditions=timeloom-source'];
run(process.execPath, [...node, join(root, 'test/bench/main.ts'), ...process.argv.slice(2)]);
