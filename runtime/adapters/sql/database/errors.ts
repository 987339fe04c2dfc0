import { Defect } from '../../../base/assert.ts';
import { Fault } from '../../../base/fault.ts';

/** SQLSTATE classes that say the statement was wrong, not the world: data, integrity, syntax and names. */
const ours = new Set(['22', '23', '42', 'P0']);

/**
 * What a driver's error means here. Only message and SQLSTATE are carried over:
 * drivers hang the statement and its parameters, which are people's words, on their errors.
 */
export function toStoreError(error: unknown): Error {
  const { message, code } = plain(error);
  if (ours.has(code.slice(0, 2)) && code.length === 5) {
    return new Defect(`the database refused a statement: ${message} (${code})`);
  }
  return new Fault('STORE_UNAVAILABLE', { because: message, code });
}

function plain(error: unknown): { message: string; code: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error), code: '' };
  const message = 'message' in error ? String(error.message) : '';
  const code = 'code' in error ? String(error.code) : '';
  return { message: message === '' ? code : message, code };
}
