import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Refusal } from '../../base/refusal.ts';
import { environment } from '../config/config.ts';
import { commandLogCharsMax, commandStopMsMax } from './limits.ts';
import { endWithin, main } from './worker-child.ts';

/**
 * Runs a command of this program in a process of its own, with the same settings, and yields the lines of its output.
 * Ends it when `signal` fires. Status 1 with output is a result: failed cases, or findings. Otherwise refusal
 * `command_failed` with the last line of its log.
 */
export async function* runOwnCommand(
  args: readonly string[],
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const child = spawn(process.execPath, [...process.execArgv, main, ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const stop = () => endWithin(child, commandStopMsMax);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log = `${log}${chunk}`.slice(-commandLogCharsMax);
  });
  let lines = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      lines += 1;
      yield line;
    }
    await ended;
    const { exitCode: code } = child;
    const isDone = code === 0 || (code === 1 && lines > 0);
    if (!isDone && !signal.aborted) throw new Refusal('command_failed', lastLine(log));
  } finally {
    signal.removeEventListener('abort', stop);
    if (child.exitCode === null && child.signalCode === null) stop();
  }
}

function lastLine(log: string): string {
  return log.trim().split('\n').at(-1) || 'the command failed';
}
