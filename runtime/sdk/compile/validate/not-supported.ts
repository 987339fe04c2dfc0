import { z } from 'zod';

/** A documented key that has no effect yet. It is refused with what to do instead. */
export function notSupported(instead: string) {
  return z.never(`not available in this version: ${instead}`).exactOptional();
}
