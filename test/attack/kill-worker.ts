import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { sandboxParts } from '../integration/exec-kit.ts';
import { runProgram } from './kill-world.ts';

/** A worker to be killed: says when the first effect has begun, and then goes on. */
async function main(call: string, dir: string): Promise<void> {
  const sandbox = await openProcessSandbox(sandboxParts());
  let said = false;
  const begun = () => {
    if (!said) console.log('begun');
    said = true;
  };
  await runProgram(call, { sandbox, dir, begun });
  // The result is out, and nobody wrote it down: from here on there is no more to lose.
  process.kill(process.pid, 'SIGKILL');
}

const [, , call = '', dir = ''] = process.argv;
await main(call, dir);
