import { openMemoryBlobStore } from '../../runtime/adapters/memory/blob-store.ts';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { findBubblewrap, findPython } from '../../runtime/adapters/process/stage.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { type Area, type Measured, missing } from './area.ts';
import { benchDocker } from './exec-docker.ts';
import { compare, inSandbox, programs, toFirstLine } from './first-line.ts';

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
