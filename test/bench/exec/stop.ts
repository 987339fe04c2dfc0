import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { echoHost, request } from '../../integration/exec/kit.ts';
import { type Figure, toFigure } from '../figure.ts';

const times = 15;
/** Never reads its stream, never waits. */
const busy = 'print("on", flush=True)\nwhile True: pass';

/** From the wish to stop a busy program to its whole result, beside ending a bare process. */
export async function benchStop(sandbox: Sandbox, bare: readonly string[]): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = 0; n < times; n += 1) {
    ours.push(await stopped(sandbox));
    theirs.push(await ended(bare));
  }
  return toFigure('exec.stop_vs_sigterm', { ours, theirs, unit: 'ms' });
}

async function stopped(sandbox: Sandbox): Promise<number> {
  const control = new AbortController();
  let asked = 0;
  for await (const event of sandbox.run(request('python', busy), echoHost, {
    signal: control.signal,
  })) {
    if (event.kind === 'output') {
      asked = performance.now();
      control.abort();
    }
  }
  return performance.now() - asked;
}

async function ended([command = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(command, [...args, busy], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  await once(child.stdout, 'data');
  const asked = performance.now();
  child.stdout.resume();
  child.kill('SIGTERM');
  await gone;
  return performance.now() - asked;
}
