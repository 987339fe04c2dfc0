import { Fault, isFault } from '../../runtime/base/fault.ts';
import type { Log } from '../../runtime/base/log.ts';
import { isRefusal } from '../../runtime/base/refusal.ts';
import { Work } from '../../runtime/base/signal.ts';
import type {
  ExecEnvelope,
  ExecEvent,
  ExecHost,
  ExecRequest,
} from '../../runtime/tools/ports/sandbox.ts';
import type { Cell } from '../cell/cell.ts';
import { checkCode, checkInputs, toContract } from '../files/contract.ts';
import type { WarmCell } from '../pool/open-warm-cell.ts';
import { emptyEnvelope, killedError, refusedError } from '../report/envelope.ts';
import { Phases } from '../report/phases.ts';
import { EventQueue } from './event-queue.ts';
import { type RunParts, runProgram } from './run-program.ts';

export type RunOptions = Pick<
  RunParts,
  'backend' | 'startsMax' | 'take' | 'blobs' | 'clock' | 'log' | 'signal'
> & {
  /** Takes over the teardown, which continues after the result was returned; it never rejects. */
  readonly finish: (teardown: Promise<void>) => void;
};

/**
 * Runs one execution, the same for every backend: take a cell, serve its executor, wait for its end, collect
 * its files, return the result, and only then tear down. If the reader stops reading, the execution is cancelled.
 */
export async function* runExecution(
  request: ExecRequest,
  host: ExecHost,
  { signal, finish, ...options }: RunOptions,
): AsyncGenerator<ExecEvent> {
  const queue = new EventQueue<ExecEvent>();
  using work = new Work(signal);
  const phases = new Phases(options.clock);
  const parts = { ...options, host, phases, signal: work.signal };
  const cells: Cell[] = [];
  const emit = (event: ExecEvent) => (isCall(event) ? queue.pushBatched(event) : queue.push(event));
  const ended = execute(request, { ...parts, emit }, cells);
  const close = () => queue.close();
  const closed = ended.then(close, close);
  try {
    for (let some = await queue.take(); some.length > 0; some = await queue.take()) {
      // Not `yield*`, which takes three steps for each event.
      for (const event of some) yield event;
    }
    await ended;
  } finally {
    work.stop('shutdown');
    finish(closed.then(() => tearDown(cells, options.log)));
  }
}

function isCall({ kind }: ExecEvent): boolean {
  return kind === 'tool_called' || kind === 'tool_finished';
}

/** Emits `done`. The caller tears down the cells that were added to `cells`. */
async function execute(request: ExecRequest, parts: RunParts, cells: Cell[]): Promise<void> {
  try {
    checkCode(request.code);
    const contract = toContract(request.contract, request);
    checkInputs(request.inputs);
    const warm = await prepareCell(request, parts, cells);
    const envelope = await runProgram({ ...request, contract }, warm, parts);
    parts.emit({ kind: 'done', envelope });
  } catch (error) {
    parts.emit({ kind: 'done', envelope: envelopeWithoutRun(request, { error, parts }) });
  }
}

/** Prepares an executor with its inputs. The program has not begun yet, so an executor that fails is replaced. */
async function prepareCell(
  request: ExecRequest,
  parts: RunParts,
  cells: Cell[],
): Promise<WarmCell> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await prepareOnce(request, parts, cells);
    } catch (error) {
      const mayPass = isFault(error) && error.kind === 'transient' && !parts.signal.aborted;
      if (!mayPass || starts >= parts.startsMax) throw error;
      parts.log.warn('program did not begin; starting again', { execution: request.id, error });
      parts.phases.begin('prepare');
    }
  }
}

async function prepareOnce(
  request: ExecRequest,
  { take, phases, signal }: RunParts,
  cells: Cell[],
): Promise<WarmCell> {
  const warm = await take(request, { signal });
  const { cell } = warm;
  cells.push(cell);
  const gone = new AbortController();
  void cell.exited.then(() => gone.abort());
  phases.begin('ready');
  await cell.stageInputs(request, { signal });
  signal.throwIfAborted();
  if (gone.signal.aborted)
    throw new Fault('EXEC_FAILED', { because: 'the executor ended before its program' });
  return warm;
}

/** The result when nothing ran: a refused request, a sandbox that could not be opened, or an early cancellation. */
function envelopeWithoutRun(
  request: ExecRequest,
  { error, parts }: { error: unknown; parts: RunParts },
): ExecEnvelope {
  const { phases, backend, signal, log } = parts;
  if (isRefusal(error)) {
    return emptyEnvelope(request, { error: refusedError(error), reason: null, phases, backend });
  }
  if (!signal.aborted && !isFault(error)) throw error;
  const reason = signal.aborted ? 'cancelled' : 'lost';
  if (!signal.aborted) log.warn('execution failed', { execution: request.id, error });
  const stderr = isFault(error) ? String(error.detail['because'] ?? '') : '';
  const killed = killedError(reason, request.limits);
  return emptyEnvelope(request, { error: killed, reason, phases, backend, stderr });
}

/** The result was already returned; the reaper removes what cannot be torn down here. */
async function tearDown(cells: readonly Cell[], log: Log): Promise<void> {
  for (const cell of cells) {
    try {
      await cell[Symbol.asyncDispose]();
    } catch (error) {
      log.error('execution not torn down', { error });
    }
  }
}
