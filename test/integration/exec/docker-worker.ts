import { openDockerSandbox } from '../../../runtime/adapters/docker/sandbox.ts';
import { echoHost, never, request, sandboxParts } from './kit.ts';

/** A worker for a test to kill: runs a program that does not end, in one container with its supervisor, and says when it is on. */
async function main(dockerHost: string): Promise<void> {
  const options = { ...sandboxParts(), dockerHost, layout: 'combined' } as const;
  const sandbox = await openDockerSandbox(options);
  const code = 'import time\nprint("on", flush=True)\ntime.sleep(600)';
  for await (const event of sandbox.run(request('python', code), echoHost, { signal: never })) {
    if (event.kind === 'output') console.log(event.text);
  }
}

await main(process.argv[2] ?? '');
