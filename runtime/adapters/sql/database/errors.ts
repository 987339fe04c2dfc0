import { Defect } from '../../../base/assert.ts';
import { Fault } from '../../../base/fault.ts';

/** SQLSTATE classes for a wrong statement, as opposed to an outage: data, integrity, syntax and names. */
const ours = new Set(['22', '23', '42', 'P0']);

/**
 * Translates a driver's error. Keeps only message and SQLSTATE: drivers attach the statement and its parameters,
 * which contain users' texts.
 */
export function toStoreError(error: unknown): Error {
  const { message, code } = plain(error);
  if (ours.has(code.slice(0, 2)) && code.length === 5) {
    return new Defect(`the database rejected a statement: ${message} (${code})`);
  }
  return new Fault('STORE_UNAVAILABLE', { because: message, code });
}

function plain(error: unknown): { message: string; code: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error), code: '' };
  const message = 'message' in error ? String(error.message) : '';
  const code = 'code' in error ? String(error.code) : '';
  return { message: message === '' ? code : message, code };
}
