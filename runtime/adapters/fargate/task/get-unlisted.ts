import { isFault } from '../../../base/fault.ts';
import type { QueueObjects } from '../queue/bucket.ts';

/**
 * For a client without list permission: the service then answers 403 instead of 404 for a missing object. The first
 * object that is read exists. Once it has been read, the client is known to have read permission, and a later 403
 * means that the object does not exist yet.
 */
export function withoutListing(objects: QueueObjects): QueueObjects {
  let mayRead = false;
  return {
    put: (key, body, options) => objects.put(key, body, options),
    get: async (key, options) => {
      try {
        const found = await objects.get(key, options);
        mayRead ||= found !== undefined;
        return found;
      } catch (error) {
        if (mayRead && isForbidden(error)) return undefined;
        throw error;
      }
    },
  };
}

function isForbidden(error: unknown): boolean {
  return isFault(error) && error.cause instanceof Error && error.cause.name === 'AccessDenied';
}
