import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, installPackages, requireNode, root } from './steps.mjs';

/** `npm start`, `npm run demo` and `npm run timeloom -- …`: set up what is missing, then run the command line. */
requireNode();
installPackages();
build();

const args = process.argv.slice(2);
if (args[0] === 'demo' || args[0] === 'serve') {
  const { prepareSandbox } = await import('./sandbox.mjs');
  prepareSandbox();
}
const child = spawn(process.execPath, [join(root, 'dist/runtime/cli/main.js'), ...args], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('close', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
