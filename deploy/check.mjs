import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { requireNode } from './require-node.mjs';
import { installPackages, root, say } from './steps.mjs';

/**
 * `npm run check`: runs types, lint and the fast tests in parallel, and prints the output of each when it ends. Each
 * property is tried a quarter as often as in `npm test`, from the same seed.
 */
await requireNode();
installPackages();

const parts = ['types', 'lint', 'test:fast'].map((name) => ({ name, done: start(name) }));
let failed = false;
for (const { name, done } of parts) {
  const { code, output } = await done;
  process.stdout.write(output);
  if (code !== 0) say(`${name} failed`);
  failed ||= code !== 0;
}
process.exit(failed ? 1 : 0);

async function start(name) {
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: root,
    // The parts share the cores. Compilers that take all of them do some of their work twice.
    env: { TIMELOOM_RUNS: '0.25', GOMAXPROCS: '1', ...process.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}
