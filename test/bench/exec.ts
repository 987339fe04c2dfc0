import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openMemoryBlobStore } from '../../runtime/adapters/memory/blob-store.ts';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { findBubblewrap, findPython } from '../../runtime/adapters/process/stage.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { Language, Sandbox } from '../../runtime/tools/sandbox.ts';
import { echoHost, never, request } from '../integration/exec-kit.ts';
import { type Area, type Measured, missing } from './area.ts';
import { benchDocker } from './exec-docker.ts';
import { type Figure, toFigure } from './figure.ts';

const warmUp = 3;
const times = 25;

export const programs: Readonly<Record<Language, string>> = {
  python: 'print("here")',
  javascript: 'console.log("here")',
};

/** From the request for a program to the first line it prints, beside starting its interpreter in a bare sandbox. */
export const benchExec: Area = async () => {
  const parts = [await benchProcess(), await benchDocker()];
  return {
    figures: parts.flatMap(({ figures }) => figures),
    missing: parts.flatMap((part) => part.missing ?? []),
  };
};

async function benchProcess(): Promise<Measured> {
  const [bwrap, python] = [await findBubblewrap(), await findPython()];
  try {
    const parts = { blobs: openMemoryBlobStore(), clock: systemClock, log: silentLog };
    await using sandbox = await openProcessSandbox(parts);
    const bare = (interpreter: string, args: readonly string[]) => () =>
      toFirstLine(bwrap ?? 'bwrap', [...bareSandbox, interpreter, ...args]);
    const inPython = bare(python ?? 'python3', ['-I', '-c', programs.python]);
    const inJavascript = bare(process.execPath, ['-e', programs.javascript]);
    return {
      figures: [
        await compare('exec.process_python_vs_bwrap', inSandbox(sandbox, 'python'), inPython),
        await compare(
          'exec.process_javascript_vs_bwrap',
          inSandbox(sandbox, 'javascript'),
          inJavascript,
        ),
      ],
    };
  } catch (error) {
    return { figures: [], missing: [missing('exec.process_*', error)] };
  }
}

/** New namespaces and nothing more: no limits, no filter, no clean file system, no stream, no result. */
const bareSandbox = [
  ...['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/'],
  ...['--dev', '/dev', '--proc', '/proc', '--'],
];

type Way = () => Promise<number>;

/** Both ways in turns. */
export async function compare(id: string, ours: Way, theirs: Way): Promise<Figure> {
  const all: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let n = -warmUp; n < times; n += 1) {
    const [mine, other] = [await ours(), await theirs()];
    if (n < 0) continue;
    all.ours.push(mine);
    all.theirs.push(other);
  }
  return toFigure(id, { ...all, unit: 'ms' });
}

/** Milliseconds to the first line; the program is waited for, so that the next one finds a quiet machine. */
export function inSandbox(sandbox: Sandbox, language: Language): Way {
  return async () => {
    const started = performance.now();
    let first: number | undefined;
    for await (const event of sandbox.run(request(language, programs[language]), echoHost, {
      signal: never,
    })) {
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
  await once(child.stdout, 'data');
  const first = performance.now() - started;
  await gone;
  return first;
}
