import { z } from 'zod';
import { Fault, type FaultCode, isFault } from '../../../runtime/base/fault.ts';
import { faults } from '../../../runtime/base/faults.ts';
import { isRefusal, Refusal } from '../../../runtime/base/refusal.ts';
import { type CancelCause, Cancelled } from '../../../runtime/base/signal.ts';

const causes = ['steer', 'deadline', 'shutdown', 'lease_lost'] as const;
export const CancelReason = z.enum(causes);

/** An error that is sent between two processes: its family and the fields that a catcher may use. */
export const WireError = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('refusal'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    retryAfterMs: z.number().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('fault'),
    code: z.custom<FaultCode>(isFaultCode),
    because: z.string().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('cancelled'), why: CancelReason }),
  z.strictObject({ kind: z.literal('other'), message: z.string() }),
]);
export type WireError = z.infer<typeof WireError>;

export function toWireError(error: unknown): WireError {
  if (isRefusal(error)) {
    const { code, message, retryable, retryAfterMs } = error;
    const after = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { kind: 'refusal', code, message, retryable, ...after };
  }
  if (isFault(error)) {
    const { because } = error.detail;
    const detail = typeof because === 'string' ? { because } : {};
    return { kind: 'fault', code: error.code, ...detail };
  }
  if (error instanceof Cancelled) return { kind: 'cancelled', why: error.why };
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

export function fromWireError(error: WireError): Error {
  switch (error.kind) {
    case 'refusal': {
      const { code, message, ...options } = error;
      return new Refusal(code, message, options);
    }
    case 'fault': {
      const { code, because } = error;
      return new Fault(code, because === undefined ? {} : { because });
    }
    case 'cancelled':
      return new Cancelled(error.why);
    case 'other':
      return new Error(error.message);
  }
}

/** The reason of an aborted signal, as the other side gets it. */
export function cancelReasonOf(reason: unknown): CancelCause {
  return reason instanceof Cancelled ? reason.why : 'shutdown';
}

function isFaultCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(faults, code);
}
