import type { z } from 'zod';
import { isFault } from '../../../base/fault.ts';
import { isRefusal } from '../../../base/refusal.ts';
import type { ToolResult } from '../../../tools/ports/tool.ts';
import { failureCharsMax } from '../../contract/limits.ts';
import type { ToolContext } from '../../define/context.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';

type FailedResult = Extract<ToolResult, { ok: false }>;

export function invalidInput(error: z.ZodError): FailedResult {
  const violations = toViolations(error);
  const message = `The input does not fit: ${toSentence(violations)}`;
  return { ok: false, error: { code: 'invalid_input', message, retryable: false, violations } };
}

type FailureContext = {
  readonly ctx: ToolContext;
  readonly home: { readonly loaded: Pick<LoadedBundle, 'mask'> };
  readonly signal: AbortSignal;
};

/** Rethrows aborts and faults. A refusal or unexpected error becomes a masked result. */
export function failure(error: unknown, { ctx, home, signal }: FailureContext): FailedResult {
  const { mask } = home.loaded;
  if (isRefusal(error)) {
    const { code, retryable } = error;
    return { ok: false, error: { code, message: mask.text(error.message), retryable } };
  }
  if (signal.aborted || isFault(error)) throw error;
  const said = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  ctx.log.warn('tool failed', { error: said, stack });
  const message = mask.text(said).slice(0, failureCharsMax);
  return { ok: false, error: { code: 'tool_failed', message, retryable: false } };
}
