import { isFault } from '../../../base/fault.ts';
import type { QueueObjects } from '../queue/bucket.ts';

/**
 * For somebody who may list nothing: the service answers 403 then where it would say 404. The first object that is
 * looked for is there; whoever gets it may read, and from then on 403 says that there is no such object yet.
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
