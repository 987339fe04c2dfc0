import { z } from 'zod';

/** A key that SDK and documents name and that has no effect yet: refused, with what to do instead. */
export function notSupported(instead: string) {
  return z.never(`not available in this version: ${instead}`).exactOptional();
}
