import { type FaultKind, faults } from './faults.ts';

export type FaultCode = keyof typeof faults;

const mark = Symbol.for('timeloom.fault');

/**
 * Something outside this program failed. Not a Refusal (an expected no) and not a Defect (our bug).
 * `detail` is safe to log and is never sent to a client; `detail.because` becomes part of the log message.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly [mark] = true;

  constructor(code: FaultCode, detail: Record<string, unknown> = {}, options?: ErrorOptions) {
    const because = typeof detail['because'] === 'string' ? `: ${detail['because']}` : '';
    super(`${code}: ${faults[code].text}${because}`, options);
    this.code = code;
    this.detail = detail;
  }

  get kind(): FaultKind {
    return faults[this.code].kind;
  }
}

/** Checks a symbol, not the class: a bundle may contain its own copy of this module. */
export function isFault(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && mark in error;
}

export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(faults, code);
}

/** The part of an error that a client may see. */
export function toWire(error: unknown): { code: string; message: string } {
  if (isFault(error)) return { code: error.code, message: faults[error.code].text };
  return { code: 'INTERNAL', message: 'something went wrong' };
}
