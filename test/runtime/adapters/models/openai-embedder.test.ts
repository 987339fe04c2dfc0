import { expect, test } from 'vitest';
import { openEmbedder } from '../../../../runtime/adapters/models/open-embedder.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { meaningOf, openEmbeddingWire } from '../../../tools/services/embedding-wire.ts';

const signal = AbortSignal.timeout(patient(10_000));

// proves: memory.embedder
test('texts come back as vectors in their order, over the base URL, with key and model', async () => {
  await using wire = await openEmbeddingWire();
  const access = { openaiBaseUrl: wire.url, openaiApiKey: 'k' };
  const embedder = await openEmbedder('openai:small', access);
  expect(embedder.space).toBe('openai:small');
  expect(await embedder.embed(['rain', 'bread'], { signal })).toEqual([
    meaningOf('rain'),
    meaningOf('bread'),
  ]);
  expect(await embedder.embed([], { signal })).toEqual([]);
  expect(wire.requests).toMatchObject([
    { model: 'small', input: ['rain', 'bread'], key: 'Bearer k' },
  ]);
});

test('a compatible server needs an address and no key', async () => {
  await using wire = await openEmbeddingWire();
  const embedder = await openEmbedder('openai-compatible:bge', { openaiBaseUrl: wire.url });
  await embedder.embed(['x'], { signal });
  expect(wire.requests[0]?.key).toBeUndefined();
  await expect(openEmbedder('openai-compatible:bge', {})).rejects.toThrow(/OPENAI_BASE_URL/);
  await expect(openEmbedder('openai:small', {})).rejects.toMatchObject({
    code: 'MODEL_KEY_MISSING',
  });
  await expect(openEmbedder('voodoo:x', {})).rejects.toMatchObject({
    code: 'MODEL_NOT_CONFIGURED',
  });
});

test.each([
  [{ status: 503 }, 'MODEL_OVERLOADED'],
  [{ status: 400 }, 'MODEL_REFUSED'],
  [{ body: { data: [] } }, 'OUTPUT_INVALID'],
  [{ body: { data: [{ index: 0, embedding: [] }] } }, 'OUTPUT_INVALID'],
])('an answer of %j is %s', async (reply, code) => {
  await using wire = await openEmbeddingWire(() => reply);
  const embedder = await openEmbedder('openai-compatible:m', { openaiBaseUrl: wire.url });
  await expect(embedder.embed(['x'], { signal })).rejects.toMatchObject({ code });
});

test('a search that is given up is not a failure of the provider', async () => {
  await using wire = await openEmbeddingWire();
  const embedder = await openEmbedder('openai-compatible:m', { openaiBaseUrl: wire.url });
  const stopped = AbortSignal.abort(new Error('enough'));
  await expect(embedder.embed(['x'], { signal: stopped })).rejects.toThrow('enough');
});
