import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';
import { blocksSoughtAtOnce } from './limits.ts';

type Store = { readonly store: TimelineStore; readonly signal: AbortSignal };

/** The bundle of the open turn, as recorded in its first block. Undefined: no turn is open, or it names no bundle. */
export async function bundleOfOpenTurn(
  row: ConversationRow,
  { store, signal }: Store,
): Promise<string | undefined> {
  if (row.openTurn === undefined) return undefined;
  for (const after of places(row)) {
    const blocks = await store.read(row.key, {
      after: toSeq(after),
      limit: blocksSoughtAtOnce,
      signal,
    });
    const opening = blocks.find(({ type, turn }) => type === 'turn.open' && turn === row.openTurn);
    if (opening) return bundleOf(opening);
  }
  return undefined;
}

/** Searches the window first; a turn that was compacted began before it. */
function* places({ windowSeq, head }: ConversationRow): Generator<number> {
  const window = Math.max(0, windowSeq - 1);
  for (let after = window; after < head; after += blocksSoughtAtOnce) yield after;
  for (let after = 0; after < window; after += blocksSoughtAtOnce) yield after;
}

function bundleOf({ data }: Block): string | undefined {
  const bundle = isJsonObject(data) ? data['bundle'] : undefined;
  return typeof bundle === 'string' ? bundle : undefined;
}
