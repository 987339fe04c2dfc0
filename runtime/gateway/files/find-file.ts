import type { Block } from '../../timeline/block.ts';
import { formatPath, parsePath } from '../../timeline/paths.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';
import { storedIn } from '../../tools/services/path-reader.ts';
import { isPublic } from '../feed/block-envelopes.ts';

/** The block of a file that users may read, by its path in the conversation; undefined: there is none. */
export async function findFile(
  store: TimelineStore,
  { key }: ConversationRow,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<{ readonly name: string; readonly block: Block } | undefined> {
  const parsed = parsePath(path);
  if (parsed?.family !== 'fi') return undefined;
  const { conversation: _, ...named } = parsed;
  const local = await storedIn(named, key, { store, signal });
  const block = local && (await store.atPath(key, formatPath(local), { signal }));
  if (!local || !block || !isPublic(block)) return undefined;
  return { name: local.rest.split('/').at(-1) ?? 'file', block };
}
