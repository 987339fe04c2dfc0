import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { requireNode } from './require-node.mjs';
import { build, installPackages, root } from './steps.mjs';

/** `npm test`: installs what the tests require, then runs all of them. Nothing is skipped: tests fail if something is missing. */
await requireNode();
// Both mostly wait for network and disk, so they run in parallel.
const machine = spawn(process.execPath, [join(root, 'deploy/prepare-test-machine.mjs')], {
  stdio: 'inherit',
});
const machineExit = once(machine, 'close');
installPackages();
build();
const [machineCode] = await machineExit;
if (machineCode !== 0) process.exit(machineCode ?? 1);

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = [
  vitest,
  'run',
  '--root',
  '.',
  '--config',
  'test/tools/vitest.config.ts',
  ...process.argv.slice(2),
];
const done = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
process.exit(done.status ?? 1);
