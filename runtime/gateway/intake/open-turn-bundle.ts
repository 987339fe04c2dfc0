import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';
import { blocksSoughtAtOnce } from './limits.ts';

type Store = { readonly store: TimelineStore; readonly signal: AbortSignal };

/** The bundle whose turn is open in a conversation, as the beginning of that turn says. Undefined: none is, or none is named. */
export async function bundleOfOpenTurn(
  row: ConversationRow,
  { store, signal }: Store,
): Promise<string | undefined> {
  if (row.openTurn === undefined) return undefined;
  for (const after of places(row)) {
    const blocks = await store.read(row.key, { after, limit: blocksSoughtAtOnce, signal });
    const opening = blocks.find(({ type, turn }) => type === 'turn.open' && turn === row.openTurn);
    if (opening) return bundleOf(opening);
  }
  return undefined;
}

/** From the window on; a turn that was compacted in its middle began before it. */
function* places({ windowSeq, head }: ConversationRow): Generator<number> {
  const window = Math.max(0, windowSeq - 1);
  for (let after = window; after < head; after += blocksSoughtAtOnce) yield after;
  for (let after = 0; after < window; after += blocksSoughtAtOnce) yield after;
}

function bundleOf({ data }: Block): string | undefined {
  const bundle = isJsonObject(data) ? data['bundle'] : undefined;
  return typeof bundle === 'string' ? bundle : undefined;
}
