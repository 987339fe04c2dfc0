import type { Clock } from '../../runtime/base/clock.ts';
import { isFault } from '../../runtime/base/fault.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { BlobStore } from '../../runtime/timeline/ports/blobs.ts';
import type {
  ExecEnvelope,
  ExecEvent,
  ExecHost,
  ExecRequest,
  KillReason,
} from '../../runtime/tools/ports/sandbox.ts';
import type { CallHost } from '../connection/calls.ts';
import type { Executor, ServeOptions } from '../connection/serve-executor.ts';
import { collect } from '../files/collect.ts';
import type { WarmCell } from '../pool/open-warm-cell.ts';
import { toEnvelope } from '../report/envelope.ts';
import type { Phases } from '../report/phases.ts';
import { watchOutput } from '../report/program-output.ts';
import { toCallHost } from './file-mounts.ts';
import { toStartMessage } from './start-message.ts';
import { reasonOf, Termination } from './termination.ts';

export type RunParts = {
  readonly backend: string;
  /** Attempts to start a program that has not begun. */
  readonly startsMax: number;
  /** Takes an executor for this program; the caller owns it. */
  readonly take: (request: ExecRequest, options: { signal: AbortSignal }) => Promise<WarmCell>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: ExecHost;
  readonly signal: AbortSignal;
  readonly emit: (event: ExecEvent) => void;
  readonly phases: Phases;
};

/** Runs one program in a cell that has its inputs, from its first line to the collected files. */
export async function runProgram(
  request: ExecRequest,
  { cell, executor }: WarmCell,
  options: RunParts,
): Promise<ExecEnvelope> {
  const { phases, emit, backend, blobs, log } = options;
  const print = (stream: 'stdout' | 'stderr') =>
    watchOutput(
      cell[stream],
      (text) => emit({ kind: 'output', stream, text }),
      () => cell.omittedChars?.(stream) ?? 0,
    );
  const [stdout, stderr] = [print('stdout'), print('stderr')];
  const stopped = await runToExit(request, { cell, executor }, options);
  const exit = await cell.exited;
  const [failed] = await Promise.all([failureOf(executor), stdout.ended, stderr.ended]);
  // A program that ends right after its last message may be gone before that message was judged.
  const killed = stopped ?? failed;
  phases.begin('collect');
  const delivery = await collect(request, { cell, blobs });
  const { failure: error } = delivery;
  if (error !== undefined) log.warn('files not collected', { execution: request.id, error });
  const facts = { exit, killed, delivery, stdout, stderr, phases, memory: cell.memory, backend };
  return toEnvelope(request, facts);
}

/** Runs to the end of the last process and returns the kill reason, or null if the program ended on its own. */
async function runToExit(
  request: ExecRequest,
  { cell, executor }: WarmCell,
  options: RunParts,
): Promise<KillReason | null> {
  const { signal, phases, emit, backend, clock } = options;
  using ending = new Termination({ cell, executor, signal, clock });
  phases.begin('run');
  ending.after(request.limits.timeoutMs, () => ending.stop('timeout'));
  if (ending.reason === null) {
    emit({ kind: 'ready', backend });
    const { tenant } = request;
    const host = toCallHost(options.host, { cell, tenant });
    await executor.start(toStartMessage(request), toServe(options, host));
  }
  await cell.exited;
  return ending.reason;
}

function toServe({ clock, signal, emit }: RunParts, host: CallHost): ServeOptions {
  return { host, clock, signal, emit };
}

/** Why the executor's stream failed; null if it did not. Rethrows errors of the host. */
async function failureOf(executor: Executor): Promise<KillReason | null> {
  try {
    await executor.ended;
    return null;
  } catch (error) {
    if (!isFault(error)) throw error;
    return reasonOf(error);
  }
}
