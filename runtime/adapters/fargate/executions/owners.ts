import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { type BucketObjects, listKeys } from '../queue/bucket.ts';
import { heartbeatEveryMs, heartbeatTtlMs, orphanGraceMs } from '../settings/limits.ts';
import { putEmpty } from './registry.ts';

type Parts = { readonly bucket: BucketObjects; readonly clock: Clock; readonly log: Log };
type Waits = { readonly signal: AbortSignal };

/** A process that starts tasks. Its heartbeats tell other processes, on any machine, whether it is alive. */
export interface Owner extends AsyncDisposable {
  readonly name: string;
}

const folder = 'owners';

/** Writes a heartbeat now and at intervals, until closed. Fault `BLOBS_UNAVAILABLE` if the first one cannot be written. */
export async function openOwner(parts: Parts): Promise<Owner> {
  const { clock, log } = parts;
  const where = hostname()
    .replaceAll(/[^\w-]/g, '-')
    .slice(0, 48);
  const name = `${where}-${randomBytes(8).toString('hex')}`;
  let heartbeat = await writeHeartbeat(name, undefined, parts);
  let renewal = Promise.resolve();
  const renew = async () => {
    try {
      heartbeat = await writeHeartbeat(name, heartbeat, parts);
    } catch (error) {
      log.warn('heartbeat not written', { owner: name, nowMs: clock.now(), error });
    }
  };
  const timer = setInterval(() => {
    renewal = renewal.then(renew);
  }, heartbeatEveryMs).unref();
  return {
    name,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await renewal;
      await parts.bucket.remove(heartbeat);
    },
  };
}

/** Owners whose heartbeat has not expired; expired heartbeats are removed. */
export async function listLiveOwners(
  bucket: BucketObjects,
  { nowMs, signal }: Waits & { nowMs: number },
): Promise<ReadonlySet<string>> {
  const living = new Set<string>();
  for await (const key of listKeys(folder, bucket, { signal })) {
    const [, ms, owner] = /^owners\/(\d{1,15})\.([\w-]+)$/.exec(key) ?? [];
    if (owner === undefined) continue;
    if (Number(ms) + orphanGraceMs >= nowMs) living.add(owner);
    else await bucket.remove(key);
  }
  return living;
}

/** Writes the next heartbeat before it removes the last one. */
async function writeHeartbeat(
  name: string,
  last: string | undefined,
  { bucket, clock }: Parts,
): Promise<string> {
  const { signal } = new AbortController();
  const heartbeat = `${folder}/${Math.ceil(clock.now() + heartbeatTtlMs)}.${name}`;
  await putEmpty(heartbeat, bucket, { signal });
  if (last !== undefined && last !== heartbeat) await bucket.remove(last);
  return heartbeat;
}
