import type { Readable } from 'node:stream';
import { Fault, isFault } from '../../runtime/base/fault.ts';
import { Work } from '../../runtime/base/signal.ts';
import type { Cell, CellKind, OpenCell } from '../cell/cell.ts';
import { type Executor, serveExecutor } from '../connection/serve-executor.ts';
import { failureCharsMax, readyMsMax } from './limits.ts';

/** A cell whose executor has completed the handshake and waits for its program. */
export type WarmCell = { readonly cell: Cell; readonly executor: Executor };

/** Opens a cell and waits for the handshake. Faults `EXEC_FAILED`, `EXEC_PROTOCOL`; a cell that failed is removed. */
export async function openWarmCell(
  kind: CellKind,
  { open, signal }: { open: OpenCell; signal: AbortSignal },
): Promise<WarmCell> {
  const cell = await open(kind, { signal });
  try {
    const executor = serveExecutor(cell.stream);
    await untilReady(cell, { executor, signal });
    await cell.settle();
    return { cell, executor };
  } catch (error) {
    cell.kill();
    const said = await firstChars(cell.stderr);
    await cell[Symbol.asyncDispose]();
    signal.throwIfAborted();
    if (said === '' || !isFault(error)) throw error;
    throw new Fault('EXEC_FAILED', { because: said.trim() }, { cause: error });
  }
}

async function untilReady(
  cell: Cell,
  { executor, signal }: { executor: Executor; signal: AbortSignal },
): Promise<void> {
  using work = new Work(signal, { deadlineMs: readyMsMax });
  const stop = () => cell.kill();
  work.signal.addEventListener('abort', stop, { once: true });
  try {
    await executor.ready;
    // The hello may have arrived while the cell was being killed: no program may get it.
    work.signal.throwIfAborted();
  } catch (cause) {
    if (!work.signal.aborted) throw cause;
    throw new Fault('EXEC_FAILED', { because: `not ready in ${readyMsMax} ms` }, { cause });
  }
}

/** The first characters of a stream whose writer has ended. */
async function firstChars(stream: Readable): Promise<string> {
  let text = '';
  try {
    for await (const chunk of stream.setEncoding('utf8')) {
      text += chunk;
      if (text.length > failureCharsMax) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  return text.slice(0, failureCharsMax);
}
