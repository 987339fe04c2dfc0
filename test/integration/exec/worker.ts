import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { echoHost, never, request, sandboxParts } from './kit.ts';

/** A worker for a test to kill: runs a program that does not end and prints the name of its stage, the only one in its TMPDIR. */
async function main(mark: string): Promise<void> {
  const sandbox = await openProcessSandbox(sandboxParts());
  const stage = readdirSync(tmpdir()).find((name) => name.startsWith('timeloom-exec-'));
  const code = `import subprocess
print("on", flush=True)
subprocess.run(["/usr/bin/python3", "-c", "import time; time.sleep(600)", "${mark}"])`;
  for await (const event of sandbox.run(request('python', code), echoHost, { signal: never })) {
    if (event.kind === 'output') console.log(stage);
  }
}

await main(process.argv[2] ?? '');
