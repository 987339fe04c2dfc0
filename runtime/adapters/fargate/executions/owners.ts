import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { type BucketObjects, listKeys } from '../queue/bucket.ts';
import { heartbeatEveryMs, heartbeatTtlMs, orphanGraceMs } from '../settings/limits.ts';
import { putEmpty } from './registry.ts';

type Parts = { readonly bucket: BucketObjects; readonly clock: Clock; readonly log: Log };
type Waits = { readonly signal: AbortSignal };

/** Whoever makes tasks; others tell by its signs of life whether it is still there, wherever they are. */
export interface Owner extends AsyncDisposable {
  readonly name: string;
}

const folder = 'owners';

/** Gives a sign of life now and from time to time, until closed. Fault `BLOBS_UNAVAILABLE` if not even the first can be given. */
export async function openOwner(parts: Parts): Promise<Owner> {
  const { clock, log } = parts;
  const where = hostname()
    .replaceAll(/[^\w-]/g, '-')
    .slice(0, 48);
  const name = `${where}-${randomBytes(8).toString('hex')}`;
  let sign = await writeHeartbeat(name, undefined, parts);
  let renewal = Promise.resolve();
  const renew = async () => {
    try {
      sign = await writeHeartbeat(name, sign, parts);
    } catch (error) {
      log.warn('no sign of life given', { owner: name, nowMs: clock.now(), error });
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
      await parts.bucket.remove(sign);
    },
  };
}

/** Owners with a sign that has not run out; signs that have are removed. */
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

/** The next sign stands before the last one goes. */
async function writeHeartbeat(
  name: string,
  last: string | undefined,
  { bucket, clock }: Parts,
): Promise<string> {
  const { signal } = new AbortController();
  const sign = `${folder}/${Math.ceil(clock.now() + heartbeatTtlMs)}.${name}`;
  await putEmpty(sign, bucket, { signal });
  if (last !== undefined && last !== sign) await bucket.remove(last);
  return sign;
}
