import { Fault } from '../../../../base/fault.ts';
import type { Embedder } from '../../../../timeline/ports/embedder.ts';
import { isVector } from '../../../../timeline/search/vectors.ts';
import { embeddingMsMax } from '../limits.ts';
import { toModelFault } from '../model-faults.ts';
import { openaiClient } from './openai-client.ts';

export type OpenaiEmbedderOptions = {
  readonly model: string;
  readonly flavour: 'openai' | 'openai-compatible';
  readonly apiKey?: string;
  readonly baseUrl?: string;
};

/** The embeddings endpoint of the provider or a compatible server. Does not retry; the caller tries again later. */
export function createOpenaiEmbedder(options: OpenaiEmbedderOptions): Embedder {
  const { model, flavour, apiKey, baseUrl } = options;
  const client = openaiClient({ apiKey, baseUrl, timeout: embeddingMsMax });
  return {
    space: `${flavour}:${model}`,
    async embed(texts, { signal }) {
      if (texts.length === 0) return [];
      const body = { model, input: [...texts], encoding_format: 'float' as const };
      const answer = await client.embeddings.create(body, { signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw toModelFault(error);
      });
      return toVectors(answer.data, texts.length);
    },
  };
}

/** Vectors in the order of the texts. Fault `OUTPUT_INVALID` unless there is one valid vector for each text. */
function toVectors(
  data: readonly { readonly index: number; readonly embedding: readonly number[] }[],
  count: number,
): readonly (readonly number[])[] {
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  const dimensions = data[0]?.embedding.length;
  return Array.from({ length: count }, (_, index) => {
    const vector = byIndex.get(index);
    if (vector && isVector(vector, dimensions)) return vector;
    throw new Fault('OUTPUT_INVALID', {
      because: `no valid embedding for text ${index + 1} of ${count}`,
    });
  });
}
