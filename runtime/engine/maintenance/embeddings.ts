import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { SnippetToEmbed, SnippetVector, TimelineStore } from '../../timeline/ports/store.ts';
import {
  embedBatchSnippets,
  embedClaimMs,
  embedPollMs,
  embedRetryMs,
  embedRetryMsMax,
  embedTextCharsMax,
} from '../limits.ts';
import { BackgroundLoop } from './background-loop.ts';

type Parts = {
  readonly store: TimelineStore;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Follows the log and stores embeddings of its snippets beside it. No turn waits for an embedder; until the vectors
 * exist, search uses words. Progress is kept in the store, so any process may continue, one at a time.
 */
export function openEmbeddings(parts: Parts, { signal }: { signal: AbortSignal }): BackgroundLoop {
  const { clock, log } = parts;
  return new BackgroundLoop({
    ...{ clock, signal },
    step: async (work) => ((await embedBatch(parts, work)) ? 0 : embedPollMs),
    onFailure: (error, failures) => {
      if (failures === 0) log.warn('snippets could not be embedded and will be retried', { error });
      return Math.min(embedRetryMsMax, embedRetryMs * 2 ** Math.min(failures, 16));
    },
  });
}

/** False: nothing to do, or another process does it. */
async function embedBatch(parts: Parts, signal: AbortSignal): Promise<boolean> {
  const { store, embedder } = parts;
  const claim = { limit: embedBatchSnippets, ttlMs: embedClaimMs, signal };
  const claimed = await store.unembedded(embedder.space, claim);
  if (claimed.length === 0) return false;
  await store.keepVectors(embedder.space, await embedAll(claimed, parts, signal), { signal });
  return true;
}

async function embedAll(
  claimed: readonly SnippetToEmbed[],
  { embedder }: Parts,
  signal: AbortSignal,
): Promise<readonly SnippetVector[]> {
  const embed = async (some: readonly SnippetToEmbed[]): Promise<readonly SnippetVector[]> => {
    const texts = some.map(({ text }) => text.slice(0, embedTextCharsMax).toWellFormed());
    const vectors = await embedder.embed(texts, { signal });
    return some.map(({ text: _, ...key }, index) => ({ ...key, ...toVector(vectors[index]) }));
  };
  try {
    return await embed(claimed);
  } catch (error) {
    if (!isFault(error) || error.kind === 'transient') throw error;
    // A permanent refusal: either the provider accepts nothing at all, which the probe repeats, or some of these
    // texts are refused.
    await embedder.embed(['probe'], { signal });
    return await oneByOne(claimed, embed);
  }
}

function toVector(vector: readonly number[] | undefined): Pick<SnippetVector, 'vector'> {
  return vector ? { vector } : {};
}

/** A text that is also refused alone is stored without a vector, so that it does not block the rest. */
async function oneByOne(
  claimed: readonly SnippetToEmbed[],
  embed: (some: readonly SnippetToEmbed[]) => Promise<readonly SnippetVector[]>,
): Promise<readonly SnippetVector[]> {
  const kept: SnippetVector[] = [];
  for (const { text, ...key } of claimed) {
    try {
      kept.push(...(await embed([{ ...key, text }])));
    } catch (error) {
      if (!isFault(error) || error.kind === 'transient') throw error;
      kept.push(key);
    }
  }
  return kept;
}
