import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import type { BlobInventory, BlobStore } from '../../timeline/ports/blobs.ts';
import type { Erasures } from '../../timeline/ports/erasures.ts';
import { orphanBlobMs, orphanPageMax, orphanSearchEveryMs, orphanSearchMsMax } from '../limits.ts';

/** A blob store, the database that refers to its blobs, and the tenants that both have. */
export type BlobUpkeep = {
  readonly blobs: Pick<BlobStore, 'remove'> & BlobInventory;
  readonly store: { readonly erasures: Pick<Erasures, 'unnamedBlobs'> };
  readonly storage: Pick<KeyValueStore, 'get' | 'set'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly tenants: readonly string[];
};
type Waits = { readonly signal: AbortSignal };

const position = z.object({
  tenant: z.string(),
  /** Absent: the first page of the tenant. */
  after: z.string().exactOptional(),
  /** Blobs that the search has removed so far. */
  removed: z.int(),
});
type Position = z.infer<typeof position>;
const lastSearch = z.union([position, z.object({ endedMs: z.number() })]);

/** Bundles do not use spaces of this form. */
const space = JSON.stringify(['blobs']);

/**
 * Removes blobs that no conversation refers to: uploads without a message, what a process stored just before it was killed, and what a
 * turn stored while its conversation was erased. A run is limited in time; the next one continues the search. Invariants:
 *
 * 1. A blob is removed only if its last put is older than `orphanBlobMs`. Writers put bytes before a block refers to them, also bytes
 *    that are stored already, and a put makes them young again; the blob store checks the age when it removes them.
 * 2. Nothing is removed from a store that another installation uses as well, because its references are in another database.
 */
export async function deleteOrphanBlobs(upkeep: BlobUpkeep, { signal }: Waits): Promise<void> {
  const { clock, storage, blobs, log } = upkeep;
  const installation = await installationId(upkeep);
  const users = await blobs.register(installation, { signal });
  const read = lastSearch.safeParse(await storage.get(space, 'search'));
  const last = read.success ? read.data : { endedMs: Number.NEGATIVE_INFINITY };
  if ('endedMs' in last && clock.now() < last.endedMs + orphanSearchEveryMs) return;
  const others = users.filter((user) => user.installation !== installation);
  if (others.length > 0) {
    log.warn('unused blobs stay: other installations use the blob store', {
      ...{ installation, others: others.map((user) => user.installation) },
      fix: 'give each installation a folder or prefix of its own; if one is gone, delete its entry below installations/',
    });
    await storage.set(space, 'search', { value: { endedMs: clock.now() } });
    return;
  }
  // Another installation would have been recorded by now as well.
  const isSettled = users.every(({ sinceMs }) => sinceMs < clock.now() - orphanBlobMs);
  if (isSettled) await search(upkeep, 'tenant' in last ? last : undefined, { signal });
}

async function search(
  upkeep: BlobUpkeep,
  from: Position | undefined,
  { signal }: Waits,
): Promise<void> {
  const { clock, storage, log } = upkeep;
  const untilMs = clock.now() + orphanSearchMsMax;
  const tenants = [...new Set(upkeep.tenants)].toSorted();
  let next = from ?? firstOf(tenants, { removed: 0 });
  let removed = next?.removed ?? 0;
  while (next) {
    if (clock.now() >= untilMs) return;
    const { tenant } = next;
    const { after, ...page } = await removePage(upkeep, next, { signal });
    removed += page.removed;
    const rest = tenants.filter((other) => other > tenant);
    next = after === undefined ? firstOf(rest, { removed }) : { tenant, after, removed };
    if (next) await storage.set(space, 'search', { value: next });
  }
  await storage.set(space, 'search', { value: { endedMs: clock.now() } });
  if (removed > 0) log.info('unused blobs were removed', { blobs: removed });
}

function firstOf(
  [tenant]: readonly string[],
  { removed }: Pick<Position, 'removed'>,
): Position | undefined {
  return tenant === undefined ? undefined : { tenant, removed };
}

async function removePage(
  { blobs, store, clock }: BlobUpkeep,
  { tenant, after }: Position,
  { signal }: Waits,
): Promise<{ readonly removed: number; readonly after: string | undefined }> {
  const putBefore = clock.now() - orphanBlobMs;
  const page = { putBefore, limit: orphanPageMax, after, signal };
  const { hashes, next } = await blobs.list(tenant, page);
  let removed = 0;
  for (const hash of await store.erasures.unnamedBlobs(tenant, hashes, { signal })) {
    signal.throwIfAborted();
    if (await blobs.remove(tenant, hash, { putBefore, signal })) removed += 1;
  }
  // A service that ignores where a page begins would return the same page indefinitely.
  return { removed, after: next !== undefined && next > (after ?? '') ? next : undefined };
}

/** The id of the database. Only one process at a time runs the search. */
async function installationId({ storage, ids }: BlobUpkeep): Promise<string> {
  const known = z.string().safeParse(await storage.get(space, 'installation'));
  if (known.success) return known.data;
  const created = ids.next('op');
  await storage.set(space, 'installation', { value: created });
  return created;
}
