import { isFault, toWire } from '../../runtime/base/fault.ts';
import type { Refusal } from '../../runtime/base/refusal.ts';
import type {
  ExecEnvelope,
  ExecLimits,
  ExecRequest,
  KillReason,
} from '../../runtime/tools/ports/sandbox.ts';
import { grouped } from '../../runtime/tools/text/cut-text.ts';
import type { Exit } from '../cell/cell.ts';
import type { Delivery } from '../files/collect.ts';
import { collectMsMax } from '../files/limits.ts';
import { errorLine } from './error-line.ts';
import { outputResultChars, outputTailChars } from './limits.ts';
import { headAndTailExcerpt, tailExcerpt } from './output-excerpt.ts';
import type { Phases } from './phases.ts';
import type { ProgramOutput } from './program-output.ts';
import { toReport } from './report.ts';

type RunFacts = {
  readonly backend: string;
  readonly memory: 'kernel' | 'best-effort';
  readonly exit: Exit;
  readonly killed: KillReason | null;
  readonly delivery: Delivery;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  readonly phases: Phases;
};

type ExecError = NonNullable<ExecEnvelope['error']>;

const fileSizeExit = 128 + 25;

const killedCodes = {
  timeout: 'timeout',
  cancelled: 'cancelled',
  memory: 'memory_limit',
  file_size: 'file_size_limit',
  protocol: 'protocol_violation',
  lost: 'sandbox_execution_failed',
} as const satisfies Record<KillReason, string>;

/** Names the limit, so that the reader can use less or request more. */
function killedMessage(reason: KillReason, limits: ExecLimits): string {
  const { timeoutMs, memoryMb, fileMb, workspaceMb } = limits;
  switch (reason) {
    case 'timeout':
      return `the program was stopped at its time limit of ${grouped(timeoutMs / 1000)} s`;
    case 'cancelled':
      return 'the program was stopped';
    case 'memory':
      return `the program used more than the ${memoryMb} MiB of memory it may`;
    case 'file_size':
      return `the program wrote more than it may: ${fileMb} MiB in a file, ${workspaceMb} MiB in all`;
    case 'protocol':
      return 'the program broke the protocol of its tools';
    case 'lost':
      return 'the sandbox could not run the program; the program is not at fault. Repeat the call once; if it fails again, go on without programs (react.read, react.rg, react.write) and tell the user';
  }
}

/** Derives the outcome from what the host observed: kill reason, exit, valid files, in this order. */
export function toEnvelope(request: ExecRequest, facts: RunFacts): ExecEnvelope {
  const { delivery, stdout, stderr, phases, backend, memory } = facts;
  const reason = facts.killed ?? reasonOf(facts.exit);
  const error =
    failure({ ...facts, reason, limits: request.limits }) ??
    lostFiles(delivery) ??
    unfitError(delivery);
  const { artifacts, left } = delivery;
  const printOnly = request.contract.length === 0;
  const shown = {
    stdout: printOnly
      ? headAndTailExcerpt(stdout, outputResultChars)
      : tailExcerpt(stdout, outputTailChars),
    stderr: tailExcerpt(stderr, outputTailChars),
  };
  return {
    ok: error === null,
    artifacts,
    error,
    report_text: toReport({
      artifacts,
      left,
      error,
      ...shown,
      printOnly,
      fileMb: request.limits.fileMb,
    }),
    user_out_tail: stdout.tail(outputTailChars),
    runtime_err_tail: shown.stderr.text,
    ...(printOnly && stdout.chars > outputResultChars ? { user_out: stdout.kept } : {}),
    ...(left.length > 0 ? { left } : {}),
    phases_ms: phases.spent,
    kill_reason: reason,
    limits: { ...request.limits, memory },
    backend,
  };
}

/** The envelope of an execution that ran nothing. */
export function emptyEnvelope(
  request: ExecRequest,
  facts: {
    error: ExecError;
    reason: KillReason | null;
    phases: Phases;
    backend: string;
    /** Error text of the backend. */
    stderr?: string;
  },
): ExecEnvelope {
  const { error, reason, phases, backend, stderr = '' } = facts;
  const nothing = {
    artifacts: [],
    left: [],
    stdout: { text: '' },
    stderr: { text: '' },
    printOnly: false,
    fileMb: request.limits.fileMb,
  };
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

export function refusedError(refusal: Refusal): ExecError {
  return { code: refusal.code, message: refusal.message };
}

export function killedError(reason: KillReason, limits: ExecLimits): ExecError {
  return { code: killedCodes[reason], message: killedMessage(reason, limits) };
}

function reasonOf({ outOfMemory, code, lost, full }: Exit): KillReason | null {
  if (lost) return 'lost';
  if (full !== undefined) return 'file_size';
  if (outOfMemory && code !== 0) return 'memory';
  return code === fileSizeExit ? 'file_size' : null;
}

function failure(
  facts: RunFacts & { reason: KillReason | null; limits: ExecLimits },
): ExecError | null {
  const { reason, exit, stderr, delivery, limits } = facts;
  const files = delivery.unfit.length > 0 ? { files: delivery.unfit } : {};
  if (reason !== null) {
    const { code, message } = killedError(reason, limits);
    return { code, message: (reason === 'file_size' && exit.full) || message, ...files };
  }
  if (exit.code === 0) return null;
  const cause = errorLine(stderr.tail(outputTailChars));
  const message = `the program ended with exit code ${exit.code}${cause && `: ${cause}`}`;
  return { code: 'program_failed', message, ...files };
}

/** The program ran to its end: it must not be repeated only for its files. */
function lostFiles({ failure: cause, unfit: files }: Delivery): ExecError | null {
  if (cause === undefined) return null;
  const why = isFault(cause)
    ? toWire(cause).message
    : `it took more than ${grouped(collectMsMax / 1000)} s`;
  const lost = files.filter(({ code }) => code === 'not_collected').map(({ filepath }) => filepath);
  const names = lost.length === 0 ? 'some of its files' : lost.join(', ');
  const message = `the program ran to its end, but ${names} could not be collected (${why}); its calls have been made: do not repeat them`;
  return { code: 'not_collected', message, ...(files.length > 0 ? { files } : {}) };
}

function unfitError({ unfit: files }: Delivery): ExecError | null {
  if (files.length === 0) return null;
  const missing = files.filter(({ code }) => code === 'missing_file');
  if (missing.length > 0) {
    const names = missing.map(({ filepath, found_at }) =>
      found_at === undefined ? filepath : `${filepath} (it lies at OUTPUT_DIR/${found_at})`,
    );
    return { code: 'missing_output_files', message: `not written: ${names.join(', ')}`, files };
  }
  const names = files.map(({ filepath, code }) => `${filepath} (${code})`).join(', ');
  return { code: 'artifact_validation_failed', message: `cannot be delivered: ${names}`, files };
}
