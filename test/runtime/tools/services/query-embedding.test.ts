import { afterEach, expect, test, vi } from 'vitest';
import { Fault } from '../../../../runtime/base/fault.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import type { Embedder } from '../../../../runtime/timeline/ports/embedder.ts';
import { embedQueryMsMax } from '../../../../runtime/tools/limits.ts';
import { createDraftCollector } from '../../../../runtime/tools/services/draft-collector.ts';
import { withQueryVector } from '../../../../runtime/tools/services/query-embedding.ts';
import { meaningOf, scriptedEmbedder } from '../../../tools/services/embedding-wire.ts';

const query = { text: 'rain', targets: ['user'], limit: 3 } as const;
const live = new AbortController().signal;

afterEach(() => vi.useRealTimers());

async function ask(embed: Embedder['embed'], { signal = live, asked = query as object } = {}) {
  const collector = createDraftCollector({ turn: toTurnId('t'), call: toCallId('c') });
  const embedder = { space: 's', embed };
  const result = await withQueryVector({ ...query, ...asked }, { embedder, signal, collector });
  return { vector: result.vector, notices: collector.take().map(({ data }) => data) };
}

// proves: memory.vectors
test('a query gets an embedding, unless meaning has no weight or the query has no text', async () => {
  const { vector, notices } = await ask(scriptedEmbedder.embed);
  expect(vector).toEqual({ space: 's', values: meaningOf('rain') });
  expect(notices).toEqual([]);
  const weightless = await ask(scriptedEmbedder.embed, { asked: { weights: { semantic: 0 } } });
  expect(weightless.vector).toBeUndefined();
  expect((await ask(async () => [])).vector).toBeUndefined();
});

test('if the embedder fails or hangs, the search uses words and adds one notice', async () => {
  const failing = await ask(() => Promise.reject(new Fault('MODEL_OVERLOADED')));
  expect(failing).toEqual({ vector: undefined, notices: [{ code: 'meaning_unavailable' }] });
  const hanging: Embedder['embed'] = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  vi.useFakeTimers();
  const late = ask(hanging);
  await vi.advanceTimersByTimeAsync(embedQueryMsMax);
  expect((await late).notices).toEqual([{ code: 'meaning_unavailable' }]);
});

test('a stopped call is stopped, and a bug is not hidden', async () => {
  const stopped = AbortSignal.abort(new Error('enough'));
  await expect(ask(scriptedEmbedder.embed, { signal: stopped })).rejects.toThrow('enough');
  await expect(ask(() => Promise.reject(new TypeError('oops')))).rejects.toThrow('oops');
});
