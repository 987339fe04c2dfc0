import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { requireNode } from './require-node.mjs';
import { build, installPackages, root } from './steps.mjs';

/** `npm test`: everything the tests need, then all of them. Nothing is skipped: what is missing fails and says so. */
await requireNode();
// Both sides mostly wait for the network and the disk.
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
