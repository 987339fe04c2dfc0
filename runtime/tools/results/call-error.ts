import { type Fault, isFault, toWire } from '../../base/fault.ts';
import { isRefusal } from '../../base/refusal.ts';
import { errorCharsMax } from '../limits.ts';
import type { CallContext, Tool, ToolError } from '../ports/tool.ts';
import { cutText, grouped } from '../text/cut-text.ts';
import { stopReason } from './stop-reason.ts';

export type TimeLimit = { readonly ms: number; readonly ofTurn: boolean };

type FailedCall = { readonly tool: Tool; readonly context: Pick<CallContext, 'signal'> };

type ErrorContext = {
  readonly request: FailedCall;
  readonly limit: TimeLimit;
  readonly begun: boolean;
  readonly stopped: boolean;
  readonly mask: (text: string) => string;
};

/** The error that a model reads when a call threw. */
export function toError(
  error: unknown,
  { request, limit, begun, stopped, mask }: ErrorContext,
): ToolError {
  if (isRefusal(error)) {
    return { code: error.code, message: mask(error.message), retryable: error.retryable };
  }
  const { signal } = request.context;
  if (stopped && signal.aborted && !begun) return notExecuted(signal);
  if (stopped) return stoppedError(request, { limit, begun });
  if (isFault(error)) return faultError(error, begun && isDoubtful(request.tool));
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'tool_failed', message: cutText(mask(message), errorCharsMax), retryable: false };
}

/** A transient fault in the middle of a call says nothing about its effect. */
function faultError(fault: Fault, doubtful: boolean): ToolError {
  const { code, message } = toWire(fault);
  const transient = fault.kind === 'transient';
  if (transient && doubtful)
    return { code, message: `${message}.${effectNotes.unkeyed}`, retryable: false };
  return { code, message, retryable: transient };
}

/** Calls of a program are reported individually, so the program itself is never in doubt. */
function isDoubtful({ spec }: Tool): boolean {
  return spec.effects === 'unkeyed' && spec.kind !== 'exec';
}

/** What an unknown outcome means for repeating the call. */
const effectNotes: Readonly<Record<Tool['spec']['effects'], string>> = {
  none: ' It has no effects and may be repeated.',
  keyed: ' Repeated, it takes effect once.',
  unkeyed: ' In doubt: it may have taken effect. Check before you repeat it.',
};

/** The call was stopped before it began, so it certainly had no effect. */
export function notExecuted(signal: AbortSignal): ToolError {
  const message = `${stopReason(signal)} before it began. It did not run; call it again if it is still needed.`;
  return { code: 'not_executed', message, retryable: true };
}

/** A call stopped from outside is `interrupted`; a call that reached its own deadline is `timeout`. */
function stoppedError(
  { tool, context }: FailedCall,
  { limit, begun }: Pick<ErrorContext, 'limit' | 'begun'>,
): ToolError {
  const effects = begun ? tool.spec.effects : 'none';
  const retryable = effects !== 'unkeyed';
  const effectNote = effectNotes[effects];
  if (context.signal.aborted) {
    const message = `${stopReason(context.signal)} before it ended.${effectNote}`;
    return { code: 'interrupted', message, retryable };
  }
  const ms = `${grouped(Math.round(limit.ms))} ms`;
  const message = limit.ofTurn
    ? `Stopped after ${ms}: the time limit of this turn was reached.${retryable ? '' : effectNote}`
    : `Not finished within ${ms}.${effectNote}`;
  return { code: 'timeout', message, retryable };
}
