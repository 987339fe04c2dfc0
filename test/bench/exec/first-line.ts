import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Language, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { echoHost, request } from '../../integration/exec/kit.ts';
import { type Figure, toFigure } from '../figure.ts';

const warmUp = 3;
const times = 15;
/** Enough to start the executor that takes the place of one that was used. */
const refillMs = 300;

/** The shortest program that shows it runs. */
export const programs: Readonly<Record<Language, string>> = {
  python: 'print("here")',
  javascript: 'console.log("here")',
};

/** Milliseconds, measured once. */
export type Way = () => Promise<number>;

/** Both ways in turns; before each, everything that works in the background has come to rest. */
export async function compare(id: string, ours: Way, theirs: Way): Promise<Figure> {
  const all: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let n = -warmUp; n < times; n += 1) {
    await setTimeout(refillMs);
    const mine = await ours();
    await setTimeout(refillMs);
    const other = await theirs();
    if (n < 0) continue;
    all.ours.push(mine);
    all.theirs.push(other);
  }
  return toFigure(id, { ...all, unit: 'ms' });
}

/** As long as an executor takes to load its libraries, one at a time: a program that comes meanwhile waits for one. */
const restMs = 1_500;

export function rested(way: Way): Way {
  return async () => {
    await setTimeout(restMs);
    return way();
  };
}

/** Milliseconds to the first line; the program is waited for, so that the next one finds a quiet machine. */
export function inSandbox(sandbox: Sandbox, language: Language): Way {
  return async () => {
    const started = performance.now();
    let first: number | undefined;
    const { signal } = new AbortController();
    const asked = request(language, programs[language]);
    for await (const event of sandbox.run(asked, echoHost, { signal })) {
      if (event.kind === 'output') first ??= performance.now() - started;
    }
    if (first === undefined) throw new Error('the program printed nothing');
    return first;
  };
}

export async function toFirstLine(command: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  let first: number | undefined;
  child.stdout.on('data', () => {
    first ??= performance.now() - started;
  });
  await gone;
  if (first === undefined) throw new Error(`${command} printed nothing`);
  return first;
}
