import type { Block } from '../../timeline/block.ts';
import type { ConversationKey } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import type { EnvelopeEncoder } from './envelope-encoder.ts';
import { sourcesPerAnswerMax } from './limits.ts';
import { toSource } from './turn-state.ts';

/** Loads the rows of earlier turns that a block cites, for the links of the next answer. */
export async function loadSources(
  encoder: EnvelopeEncoder,
  block: Block,
  { store, key, signal }: { store: TimelineStore; key: ConversationKey; signal: AbortSignal },
): Promise<void> {
  for (const sid of encoder.missingSources(block).slice(0, sourcesPerAnswerMax)) {
    const found = await store.atPath(key, paths.source(sid), { signal });
    const row = found && toSource(found);
    if (row) encoder.addSources([row]);
  }
}
