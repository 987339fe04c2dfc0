import { isFault } from '../../base/fault.ts';
import { Cancelled, Work } from '../../base/signal.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { SnippetQuery } from '../../timeline/ports/store.ts';
import { embedQueryMsMax } from '../limits.ts';
import type { DraftCollector } from './draft-collector.ts';

type Parts = {
  readonly embedder?: Embedder;
  readonly signal: AbortSignal;
  readonly collector: DraftCollector;
};

/** Adds the embedding of the query if an embedder is configured and answers in time; otherwise a notice says that only words are used. */
export async function withQueryVector(query: SnippetQuery, parts: Parts): Promise<SnippetQuery> {
  const { embedder, signal, collector } = parts;
  const { text, vector, weights } = query;
  if (!embedder || text === undefined || vector || weights?.semantic === 0) return query;
  using work = new Work(signal, { deadlineMs: embedQueryMsMax });
  try {
    const [values] = await embedder.embed([text], { signal: work.signal });
    return values ? { ...query, vector: { space: embedder.space, values } } : query;
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error) && !(error instanceof Cancelled)) throw error;
    collector.notice(
      'meaning_unavailable',
      'Memory was searched by words only; the query could not be embedded.',
    );
    return query;
  }
}
