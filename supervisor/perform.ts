import type { Clock } from '../runtime/base/clock.ts';
import { isFault } from '../runtime/base/fault.ts';
import type { Log } from '../runtime/base/log.ts';
import type { BlobStore } from '../runtime/timeline/blobs.ts';
import type {
  ExecEnvelope,
  ExecEvent,
  ExecHost,
  ExecRequest,
  KillReason,
} from '../runtime/tools/sandbox.ts';
import type { CallHost } from './calls.ts';
import { collect } from './collect.ts';
import { Ending } from './ending.ts';
import { toEnvelope } from './envelope.ts';
import { toCallHost } from './handles.ts';
import { watchOutput } from './output.ts';
import type { Phases } from './phases.ts';
import type { Executor, ServeOptions } from './serve.ts';
import { toStart } from './start.ts';
import type { WarmCell } from './warm.ts';

export type Performance = {
  readonly backend: string;
  /** How often a program that has not begun is started. */
  readonly startsMax: number;
  /** An executor that waits for this program; the caller owns it. */
  readonly take: (request: ExecRequest, options: { signal: AbortSignal }) => Promise<WarmCell>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: ExecHost;
  readonly signal: AbortSignal;
  readonly tell: (event: ExecEvent) => void;
  readonly phases: Phases;
};

/** One program in a cell that has its inputs, from its first line to the collected files. */
export async function perform(
  request: ExecRequest,
  { cell, executor }: WarmCell,
  options: Performance,
): Promise<ExecEnvelope> {
  const { phases, tell, backend, blobs, log } = options;
  const print = (stream: 'stdout' | 'stderr') =>
    watchOutput(
      cell[stream],
      (text) => tell({ kind: 'output', stream, text }),
      () => cell.leftOut?.(stream) ?? 0,
    );
  const [stdout, stderr] = [print('stdout'), print('stderr')];
  const killed = await live(request, { cell, executor }, options);
  const exit = await cell.exited;
  await Promise.all([stdout.ended, stderr.ended, ended(executor)]);
  phases.begin('collect');
  const delivery = await collect(request, { cell, blobs });
  const { failure: error } = delivery;
  if (error !== undefined) log.warn('files not collected', { execution: request.id, error });
  const facts = { exit, killed, delivery, stdout, stderr, phases, memory: cell.memory, backend };
  return toEnvelope(request, facts);
}

/** To the end of the last process; says who ended it, if it was not the program. */
async function live(
  request: ExecRequest,
  { cell, executor }: WarmCell,
  options: Performance,
): Promise<KillReason | null> {
  const { signal, phases, tell, backend, clock } = options;
  using ending = new Ending({ cell, executor, signal, clock });
  phases.begin('run');
  ending.after(request.limits.timeoutMs, () => ending.stop('timeout'));
  if (ending.reason === null) {
    tell({ kind: 'ready', backend });
    const { tenant } = request;
    const host = toCallHost(options.host, { cell, tenant });
    await executor.start(toStart(request), toServe(options, host));
  }
  await cell.exited;
  return ending.reason;
}

function toServe({ clock, signal, tell }: Performance, host: CallHost): ServeOptions {
  return { host, clock, signal, tell };
}

/** What the host of the calls threw is ours to throw; a broken protocol is already a reason. */
async function ended(executor: Executor): Promise<void> {
  try {
    await executor.ended;
  } catch (error) {
    if (!isFault(error)) throw error;
  }
}
