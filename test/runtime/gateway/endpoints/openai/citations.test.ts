import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../../runtime/sdk/index.ts';
import { openRuntime, type Reply } from '../../../../../runtime/testing/index.ts';

const url = 'https://example.org/gin';
const title = 'How gin is made';
const search = defineTool({
  id: 'shop.search',
  description: 'Searches.',
  traits: ['exploration'],
  input: z.object({ query: z.string() }),
  async run({ query }, ctx) {
    await ctx.sources.add([{ url, title }]);
    return { results: [query] };
  },
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [search] });
const bundle = defineBundle({ id: 'bar', version: '1', agents: [main] });

const link = `[${title}](${url})`;
const answer = `😀 Juniper ${link}, and more ${link}.`;
const replies = [
  { call: { tool: 'shop.search', input: { query: 'gin' } } },
  { answer: '😀 Juniper [[S:1]], and more [[S:1]].', chunk: 3 },
];
const user = [{ role: 'user' as const, content: 'How?' }];

async function openBar(model: readonly Reply[] = replies) {
  const runtime = await openRuntime({ bundle, model });
  const openai = new OpenAI({ baseURL: `${runtime.url}/v1`, apiKey: 'any', maxRetries: 0 });
  return { openai, [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() };
}

type Place = { readonly start_index: number; readonly end_index: number };

/** Each citation is the text between its indexes, which count characters. */
function cited(text: string, places: readonly Place[]): readonly string[] {
  const characters = [...text];
  return places.map(({ start_index, end_index }) =>
    characters.slice(start_index, end_index).join(''),
  );
}

// proves: openai.citations
test('a completion has its citations as links with annotations', async () => {
  await using bar = await openBar();
  const completion = await bar.openai.chat.completions.create({ model: 'main', messages: user });
  const message = completion.choices[0]?.message;
  expect(message?.content).toBe(answer);
  const citations = (message?.annotations ?? []).map(({ url_citation: each }) => each);
  expect(cited(answer, citations)).toEqual([link, link]);
  expect(citations[0]).toMatchObject({ url, title });
});

// proves: openai.citations
test('a streamed answer with citations arrives once, and its annotations in a chunk', async () => {
  await using bar = await openBar();
  const stream = await bar.openai.chat.completions.create({
    ...{ model: 'main', messages: user, stream: true },
  });
  let text = '';
  const annotations: unknown[] = [];
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    text += delta?.content ?? '';
    if (delta && 'annotations' in delta) annotations.push(delta.annotations);
  }
  expect(text).toBe(answer);
  expect(annotations).toMatchObject([
    [{ type: 'url_citation', url_citation: { start_index: 10, url, title } }, {}],
  ]);
});

// proves: openai.citations, openai.searches
test('a response has its search as an item, and its citations as annotations', async () => {
  await using bar = await openBar();
  const stream = await bar.openai.responses.create({ model: 'main', input: 'How?', stream: true });
  const types: string[] = [];
  let last: OpenAI.Responses.ResponseStreamEvent | undefined;
  for await (const event of stream) {
    types.push(event.type);
    last = event;
  }
  if (last?.type !== 'response.completed') throw new Error('not completed');
  const { output, id } = last.response;
  const action = { type: 'search', query: 'gin' };
  expect(output).toMatchObject([
    { type: 'web_search_call', status: 'completed', action },
    { type: 'message', content: [{ annotations: [{ type: 'url_citation', url, title }, {}] }] },
  ]);
  expect(types.filter((type) => /search|annotation/.test(type))).toEqual([
    'response.web_search_call.in_progress',
    'response.web_search_call.searching',
    'response.web_search_call.completed',
    ...['response.output_text.annotation.added', 'response.output_text.annotation.added'],
  ]);
  const again = await bar.openai.responses.retrieve(id);
  expect(again.output).toEqual(output);
  expect(again.output_text).toBe(answer);
});

const later = `As said: ${link}.`;
const twoTurns = [...replies, { answer: 'As said: [[S:1]].', chunk: 3 }];

// proves: openai.citations
test.each([false, true])(
  'a source of an earlier turn has an annotation in a completion (stream: %s)',
  async (stream) => {
    await using bar = await openBar(twoTurns);
    const headers = { 'x-timeloom-conversation': 'conv_a' };
    const ask = { model: 'main', messages: user } as const;
    await bar.openai.chat.completions.create(ask, { headers });
    const citation = { start_index: 9, end_index: 9 + link.length, url, title };
    const annotations = [{ type: 'url_citation', url_citation: citation }];
    if (!stream) {
      const { choices } = await bar.openai.chat.completions.create(ask, { headers });
      expect(choices[0]?.message).toMatchObject({ content: later, annotations });
      return;
    }
    const deltas: object[] = [];
    for await (const { choices } of await bar.openai.chat.completions.create(
      { ...ask, stream: true },
      { headers },
    )) {
      deltas.push(choices[0]?.delta ?? {});
    }
    expect(deltas.find((delta) => 'annotations' in delta)).toEqual({ annotations });
  },
);

// proves: openai.citations
test('a source of an earlier turn has an annotation in a response, also when it is read again', async () => {
  await using bar = await openBar(twoTurns);
  const first = await bar.openai.responses.create({ model: 'main', input: 'How?' });
  const second = await bar.openai.responses.create({
    ...{ model: 'main', input: 'Again?', previous_response_id: first.id },
  });
  expect(second.output_text).toBe(later);
  const annotation = { type: 'url_citation', start_index: 9, end_index: 9 + link.length };
  const content = [{ annotations: [{ ...annotation, url, title }] }];
  expect(second.output).toMatchObject([{ type: 'message', content }]);
  expect((await bar.openai.responses.retrieve(second.id)).output).toEqual(second.output);
});
