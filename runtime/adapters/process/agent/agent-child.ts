import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { agentErrorBytesMax, agentStopMsMax } from './limits.ts';

/** How a program has ended, with the end of its error output. */
export async function endOf(child: ChildProcess): Promise<string> {
  let errors = Buffer.alloc(0);
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = Buffer.concat([errors, chunk]).subarray(-agentErrorBytesMax);
  });
  const [code, signal] = await once(child, 'close').catch(() => [undefined, 'not started']);
  const text = errors.toString('utf8').trim();
  return `exit ${code ?? signal}${text === '' ? '' : `: ${text}`}`;
}

/** Ends the program with its input, and after a while by force: bwrap takes everything in the sandbox with it. */
export async function stopChild(child: ChildProcess, exited: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin?.end();
  const force = setTimeout(() => kill(child), agentStopMsMax);
  await exited;
  clearTimeout(force);
}

function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}
