import type { JsonObject } from '../../../base/json.ts';
import { hashOfText } from '../../agent/prompt-hash.ts';
import { keptTextMs } from '../../limits.ts';
import type { Engine } from '../../ports/engine.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Stored before the round that cites them, so that any past prompt can be rebuilt byte for byte. */
export async function keepTexts(
  session: WorkerSession,
  texts: Record<string, string>,
): Promise<JsonObject> {
  const kept = await Promise.all(
    Object.entries(texts).map(
      async ([name, text]) => [name, await keepText(session, text)] as const,
    ),
  );
  return Object.fromEntries(kept);
}

const recentlyKept = new WeakMap<Engine['blobs'], Map<string, number>>();
const recentlyKeptMax = 256;

/** Most rounds use the same texts; each of them is written to the store only now and then. */
async function keepText(session: WorkerSession, text: string): Promise<string> {
  const { blobs, clock } = session.engine;
  const { tenant } = session.conversation.lease.row;
  const hash = hashOfText(text);
  const kept = recentlyKept.get(blobs) ?? new Map<string, number>();
  const sinceMs = clock.monotonic();
  if (sinceMs < (kept.get(`${tenant}/${hash}`) ?? Number.NEGATIVE_INFINITY) + keptTextMs)
    return hash;
  await blobs.put(tenant, Buffer.from(text), { signal: session.conversation.signal });
  if (kept.size >= recentlyKeptMax) kept.clear();
  recentlyKept.set(blobs, kept.set(`${tenant}/${hash}`, sinceMs));
  return hash;
}
