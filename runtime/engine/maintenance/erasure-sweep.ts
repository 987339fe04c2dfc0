import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Erasure, LooseBlob } from '../../timeline/ports/erasures.ts';
import {
  blobAgainMs,
  blobGraceMs,
  blobsRemovedMax,
  erasureClaimMs,
  erasureSettleMs,
  erasuresMax,
  erasuresPollMs,
} from '../limits.ts';
import type { ExternalAgents } from '../ports/external-agent.ts';
import { BackgroundLoop } from './background-loop.ts';
import { continueUserErasure, type UserErasingParts } from './erase-user.ts';

export type SweepParts = UserErasingParts & {
  readonly blobs: BlobStore;
  readonly externalAgents?: ExternalAgents | undefined;
};

/**
 * Erases users, and removes what erased conversations leave behind: rows, frames, bytes. The pending work is in the store, so any
 * process may continue where another one stopped, and every step may be repeated.
 */
export function openErasureSweep(
  parts: SweepParts,
  { signal }: { signal: AbortSignal },
): BackgroundLoop {
  const { clock, log } = parts;
  return new BackgroundLoop({
    ...{ clock, signal },
    step: async (work) => {
      await sweepErasures(parts, work);
      return erasuresPollMs;
    },
    onFailure: (error, failures) => {
      if (failures === 0)
        log.warn('erased data could not be removed and will be retried', { error });
      return erasuresPollMs;
    },
  });
}

type StepFailure = { readonly error: unknown };

/**
 * Processes everything that is due, once. A failed item stays where it was, the rest goes on, and the first failure
 * is thrown at the end.
 */
export async function sweepErasures(parts: SweepParts, signal: AbortSignal): Promise<void> {
  const { erasures } = parts.store;
  const claim = { ttlMs: erasureClaimMs, signal };
  const users = await erasures.claimUsers({ ...claim, limit: erasuresMax });
  const untilMs = parts.clock.now() + erasureClaimMs;
  const erased = await eachOf(users, async (user) => {
    await continueUserErasure(user, parts, { untilMs, signal });
  });
  const left = await erasures.claim({ ...claim, limit: erasuresMax });
  const removed = await eachOf(left, (each) => removeErased(each, parts, signal));
  const loose = await erasures.claimBlobs({ ...claim, limit: blobsRemovedMax });
  const cleaned = await eachOf(loose, (each) => removeBlob(each, parts, signal));
  const [failed] = [...erased, ...removed, ...cleaned];
  if (failed) throw failed.error;
}

/** One after the other; returns the failures. */
async function eachOf<T>(
  all: readonly T[],
  doOne: (one: T) => Promise<void>,
): Promise<readonly StepFailure[]> {
  const failed: StepFailure[] = [];
  for (const one of all) {
    await doOne(one).catch((error: unknown) => failed.push({ error }));
  }
  return failed;
}

async function removeErased(
  erasure: Erasure,
  { store, bus, memory, externalAgents }: SweepParts,
  signal: AbortSignal,
): Promise<void> {
  // The process that erased it has published this already, unless it was interrupted.
  bus.publish(erasure.key, [{ kind: 'erased' }]);
  await externalAgents?.erase({ key: erasure.key });
  while (await store.erasures.remove(erasure, { signal })) signal.throwIfAborted();
  const { conversation } = erasure;
  await memory?.forget(erasure, { conversation }, { signal });
  // If the frames cannot be reached now, the erasure is claimed again later.
  if (!(await bus.forget(erasure.key, { signal }))) return;
  await store.erasures.settle(erasure, { settleMs: erasureSettleMs, signal });
}

/** Bytes are stored before a block names them, so a young blob may be about to be named again. */
async function removeBlob(
  blob: LooseBlob,
  { store, blobs, clock }: SweepParts,
  signal: AbortSignal,
): Promise<void> {
  const putBefore = clock.now() - blobGraceMs;
  const isRemoved = await blobs.remove(blob.tenant, blob.hash, { signal, putBefore });
  const again = isRemoved ? {} : { againInMs: blobAgainMs };
  await store.erasures.settleBlob(blob, { signal, ...again });
}
