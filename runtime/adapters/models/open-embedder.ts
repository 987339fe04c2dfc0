import { Fault } from '../../base/fault.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { ModelAccess } from './open-models.ts';

export const embeddingProviders = ['openai', 'openai-compatible'] as const;

/**
 * Makes no request: the provider is called when there is something to embed.
 *
 * @throws Fault MODEL_NOT_CONFIGURED for anything that is not `provider:name` or lacks its address, MODEL_KEY_MISSING.
 */
export async function openEmbedder(ref: string, access: ModelAccess): Promise<Embedder> {
  const colon = ref.indexOf(':');
  const flavour = embeddingProviders.find((known) => known === ref.slice(0, colon));
  const model = ref.slice(colon + 1).trim();
  if (!flavour || model === '') {
    const forms = embeddingProviders.map((known) => `${known}:<name>`).join(', ');
    throw new Fault('MODEL_NOT_CONFIGURED', {
      because: `embeddings "${ref}" must be one of ${forms}`,
    });
  }
  const { openaiApiKey: apiKey, openaiBaseUrl: baseUrl } = access;
  if (flavour === 'openai' && !apiKey) {
    throw new Fault('MODEL_KEY_MISSING', { because: `set OPENAI_API_KEY to use ${model}` });
  }
  if (flavour === 'openai-compatible' && !baseUrl) {
    throw new Fault('MODEL_NOT_CONFIGURED', {
      because: `openai-compatible:${model} needs OPENAI_BASE_URL, the address of its server`,
    });
  }
  const { createOpenaiEmbedder } = await import('./providers/openai/openai-embedder.ts');
  return createOpenaiEmbedder({
    model,
    flavour,
    ...(apiKey ? { apiKey } : {}),
    ...(baseUrl ? { baseUrl } : {}),
  });
}
