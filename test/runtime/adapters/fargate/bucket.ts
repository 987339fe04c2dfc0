import { setImmediate } from 'node:timers/promises';
import type { BucketObjects } from '../../../../runtime/adapters/fargate/queue/bucket.ts';

export type Bucket = BucketObjects & { readonly kept: Map<string, Buffer> };

/** A bucket as S3 is one: strongly consistent, lists in the order of names. */
export function openBucket(): Bucket {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    put: async (key, body) => {
      await setImmediate();
      kept.set(key, Buffer.from(body));
    },
    get: async (key) => {
      await setImmediate();
      const body = kept.get(key);
      return body && { size: body.byteLength, stream: chunksOf(body) };
    },
    remove: async (key) => {
      kept.delete(key);
    },
    list: async (folder, { max, after = '' }) =>
      [...kept.keys()]
        .filter((key) => key.startsWith(`${folder}/`) && key > after)
        .toSorted()
        .slice(0, max),
  };
}

async function* chunksOf(body: Buffer): AsyncGenerator<Uint8Array, void> {
  yield body;
}
