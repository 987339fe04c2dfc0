import type { Refusal } from '../runtime/base/refusal.ts';
import type { ExecEnvelope, ExecRequest, KillReason } from '../runtime/tools/sandbox.ts';
import type { Exit } from './cell.ts';
import type { Delivery } from './collect.ts';
import { outputResultChars, outputTailChars } from './limits.ts';
import type { Output } from './output.ts';
import type { Phases } from './phases.ts';
import { toReport } from './report.ts';

type Facts = {
  readonly backend: string;
  readonly memory: 'kernel' | 'best-effort';
  readonly exit: Exit;
  readonly killed: KillReason | null;
  readonly delivery: Delivery;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly phases: Phases;
};

type Error = NonNullable<ExecEnvelope['error']>;

const fileSizeExit = 128 + 25;

const killed = {
  timeout: ['timeout', 'the program was stopped at its time limit'],
  cancelled: ['cancelled', 'the program was stopped'],
  memory: ['memory_limit', 'the program used more memory than it may'],
  file_size: ['file_size_limit', 'the program wrote a larger file, or more in all, than it may'],
  protocol: ['protocol_violation', 'the program broke the protocol of its tools'],
  lost: ['sandbox_execution_failed', 'the sandbox could not run the program; try once more'],
} as const satisfies Record<KillReason, readonly [code: string, message: string]>;

/** The outcome by what the host saw: who killed it, how it exited, which files are fit; in that order. */
export function toEnvelope(request: ExecRequest, facts: Facts): ExecEnvelope {
  const { delivery, stdout, stderr, phases, backend, memory } = facts;
  const reason = facts.killed ?? reasonOf(facts.exit);
  const error = failure({ ...facts, reason }) ?? unfit(delivery);
  const { artifacts } = delivery;
  const printOnly = request.contract.length === 0;
  const tail = { stdout: stdout.tail(outputTailChars), stderr: stderr.tail(outputTailChars) };
  const whole = printOnly ? stdout.tail(outputResultChars) : tail.stdout;
  return {
    ok: error === null,
    artifacts,
    error,
    report_text: toReport({ artifacts, error, ...tail, stdout: whole, printOnly }),
    user_out_tail: tail.stdout,
    runtime_err_tail: tail.stderr,
    phases_ms: phases.spent,
    kill_reason: reason,
    limits: { ...request.limits, memory },
    backend,
  };
}

/** For an execution of which nothing ran. */
export function emptyEnvelope(
  request: ExecRequest,
  facts: {
    error: Error;
    reason: KillReason | null;
    phases: Phases;
    backend: string;
    /** What the backend said instead of the program. */
    stderr?: string;
  },
): ExecEnvelope {
  const { error, reason, phases, backend, stderr = '' } = facts;
  const nothing = { artifacts: [], stdout: '', stderr: '', printOnly: false };
  return {
    ok: false,
    artifacts: [],
    error,
    report_text: toReport({ ...nothing, error }),
    user_out_tail: '',
    runtime_err_tail: stderr,
    phases_ms: phases.spent,
    kill_reason: reason,
    limits: { ...request.limits, memory: 'best-effort' },
    backend,
  };
}

export function refusedError(refusal: Refusal): Error {
  return { code: refusal.code, message: refusal.message };
}

export function killedError(reason: KillReason): Error {
  const [code, message] = killed[reason];
  return { code, message };
}

function reasonOf({ outOfMemory, code, lost }: Exit): KillReason | null {
  if (lost) return 'lost';
  if (outOfMemory && code !== 0) return 'memory';
  return code === fileSizeExit ? 'file_size' : null;
}

function failure(facts: Facts & { reason: KillReason | null }): Error | null {
  const { reason, exit, stderr, delivery } = facts;
  const files = delivery.unfit.length > 0 ? { files: delivery.unfit } : {};
  if (reason !== null) return { ...killedError(reason), ...files };
  if (exit.code === 0) return null;
  const cause = errorLine(stderr.tail(outputTailChars));
  const message = `the program ended with exit code ${exit.code}${cause && `: ${cause}`}`;
  return { code: 'program_failed', message, ...files };
}

/** The line of a traceback that names the error: Python ends with it, Node puts the stack below. */
function errorLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^\S/.test(line) && !/^Node\.js v/.test(line));
  return lines.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? lines.at(-1) ?? '';
}

function unfit({ unfit: files }: Delivery): Error | null {
  if (files.length === 0) return null;
  const missing = files.filter(({ code }) => code === 'missing_file');
  if (missing.length > 0) {
    const names = missing.map(({ filepath }) => filepath).join(', ');
    return { code: 'missing_output_files', message: `not written: ${names}`, files };
  }
  const names = files.map(({ filepath, code }) => `${filepath} (${code})`).join(', ');
  return { code: 'artifact_validation_failed', message: `cannot be delivered: ${names}`, files };
}
