import type { Block } from '../timeline/block.ts';
import type { TimelineStore } from '../timeline/store.ts';
import { sourcesPerAnswerMax } from './feed/limits.ts';
import type { Narrator } from './narrator.ts';
import { toSource } from './turn-memory.ts';

/** Rows of earlier turns that a block cites: the narrator links them in its next answer. */
export async function learnSources(
  narrator: Narrator,
  block: Block,
  { store, key, signal }: { store: TimelineStore; key: number; signal: AbortSignal },
): Promise<void> {
  for (const sid of narrator.missing(block).slice(0, sourcesPerAnswerMax)) {
    const found = await store.atPath(key, `so:sources_pool[${sid}]`, { signal });
    const row = found && toSource(found);
    if (row) narrator.learn([row]);
  }
}
