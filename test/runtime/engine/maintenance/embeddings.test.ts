import { expect, test } from 'vitest';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import {
  embedBatchSnippets,
  embedClaimMs,
  embedPollMs,
} from '../../../../runtime/engine/limits.ts';
import { openEmbeddings } from '../../../../runtime/engine/maintenance/embeddings.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import type { Embedder } from '../../../../runtime/timeline/ports/embedder.ts';
import { newSender, prompt, request, signal } from '../../../contract/timeline-store/kit.ts';
import { meaningOf, scriptedEmbedder } from '../../../tools/services/embedding-wire.ts';

function open(embed: Embedder['embed'] = scriptedEmbedder.embed) {
  const clock = manualClock();
  const store = openMemoryTimelineStore({ clock });
  const sender = newSender();
  const batches: (readonly string[])[] = [];
  const embedder: Embedder = {
    space: 's:m',
    embed: (texts, options) => {
      batches.push(texts);
      return embed(texts, options);
    },
  };
  const start = () => openEmbeddings({ store, embedder, clock, log: silentLog }, { signal });
  const say = (text: string) =>
    store.accept(request(sender, { events: [prompt(text)] }), { signal });
  const meaning = async (text: string) => {
    const vector = { space: 's:m', values: meaningOf(text) };
    const query = { text, vector, weights: { lexical: 0 }, targets: ['user'], limit: 9 } as const;
    return (await store.search(sender, query, { signal })).map((hit) => hit.text);
  };
  return { clock, store, start, say, meaning, batches };
}

// proves: memory.projection
test('messages are embedded in batches beside the log and found by meaning, and before that by words', async () => {
  const { clock, start, say, meaning, batches } = open();
  await say('the rainfall of Seattle');
  for (let n = 0; n < embedBatchSnippets; n += 1) await say(`bread ${n}`);
  expect(await meaning('regen')).toEqual([]);
  await using _embeddings = start();
  await clock.advance(0);
  expect(batches.map((batch) => batch.length)).toEqual([embedBatchSnippets, 1]);
  expect(await meaning('regen')).toEqual(['the rainfall of Seattle']);
  await say('an invoice');
  await clock.advance(embedPollMs);
  expect(await meaning('rechnung')).toEqual(['an invoice']);
});

test('another process continues where one stopped, and embeds nothing twice', async () => {
  const { clock, start, say, batches } = open();
  await say('rain');
  const first = start();
  await clock.advance(0);
  await first[Symbol.asyncDispose]();
  await say('bread');
  await using _second = start();
  await clock.advance(0);
  expect(batches).toEqual([['rain'], ['bread']]);
});

test('requests to a busy provider are retried with growing delays, and nothing is lost', async () => {
  let failures = 3;
  const { clock, start, say, meaning, batches } = open(async (texts) => {
    failures -= 1;
    if (failures >= 0) throw new Fault('MODEL_OVERLOADED');
    return texts.map(meaningOf);
  });
  await say('rain');
  await using _embeddings = start();
  await clock.advance(1_000);
  expect(batches).toHaveLength(1);
  await clock.advance(4 * embedClaimMs);
  expect(await meaning('regen')).toEqual(['rain']);
});

test('a permanently refused text does not block the others', async () => {
  const { clock, start, say, meaning, batches } = open(async (texts) => {
    if (texts.some((text) => text.includes('poison'))) throw new Fault('MODEL_REFUSED');
    return texts.map(meaningOf);
  });
  await say('poison');
  await say('rain');
  await using _embeddings = start();
  await clock.advance(0);
  expect(await meaning('regen')).toEqual(['rain']);
  const asked = batches.length;
  await clock.advance(10 * embedPollMs);
  expect(batches).toHaveLength(asked);
});

test('a provider that refuses everything marks nothing', async () => {
  let refuses = true;
  const { clock, start, say, meaning } = open(async (texts) => {
    if (refuses) throw new Fault('MODEL_REFUSED');
    return texts.map(meaningOf);
  });
  await say('rain');
  await using _embeddings = start();
  await clock.advance(1_000);
  refuses = false;
  await clock.advance(2 * embedClaimMs);
  expect(await meaning('regen')).toEqual(['rain']);
});
