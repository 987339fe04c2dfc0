import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';

const search = defineTool({
  id: 'shop.search',
  description: 'Searches.',
  traits: ['exploration'],
  input: z.object({}),
  async run(_, ctx) {
    await ctx.sources.add([{ url: 'https://example.org/gin', title: 'Gin' }]);
    return 'found';
  },
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [search] });
const bundle = defineBundle({ id: 'bar', version: '1', agents: [main] });
const answer = 'It is juniper [Gin](https://example.org/gin), and more.';
const replies = [
  { call: { tool: 'shop.search' } },
  { answer: 'It is juniper [[S:1]], and more.', chunk: 3, delay_ms: 10 },
];

const message = { id: 'm1', role: 'user', content: 'How?' };
const messages = [{ ...message, parts: [{ type: 'text', text: 'How?' }] }];
const run = { threadId: 'conv_a', runId: 'run_a', tools: [], context: [], state: {} };
const input = { messages: [message] };
/** For each protocol: a request, and what its stream has only if a text was taken back. */
const endpoints = {
  ai: ['/api/ai/dev/dev/main', { id: 'conv_a', messages }, 'reset-step'],
  'ag-ui': ['/api/ag-ui/dev/dev/main', { ...run, ...input }, 'MESSAGES_SNAPSHOT'],
  openai: ['/v1/chat/completions', { model: 'main', stream: true, ...input }, '"error"'],
  responses: ['/v1/responses', { model: 'main', stream: true, input: 'How?' }, '"incomplete"'],
} as const;

// proves: endpoints.citations
test.each(Object.entries(endpoints))(
  'a streamed answer with a citation is written once (%s)',
  async (_, [path, body, again]) => {
    await using runtime = await openRuntime({ bundle, model: replies });
    const response = await fetch(`${runtime.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(text).not.toContain(again);
    expect(text).toContain('(https://example.org/gin)');
  },
);

// proves: endpoints.citations
test('FIM One begins an answer with a citation once', async () => {
  await using runtime = await openRuntime({ bundle, model: replies });
  const turn = await runtime.connect({ user: 'ann' }).conversation('conv_a').send('How?');
  const path = '/api/chat/dev/dev/conversations/conv_a/stream?as=fim';
  const headers = { 'x-timeloom-user': 'ann' };
  const stream = fetch(`${runtime.url}${path}`, { headers });
  await turn.done();
  const reader = (await stream).body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: done')) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  expect(text.match(/event: answer\ndata: \{"status":"start"\}/g)).toHaveLength(1);
  expect(text).toContain(JSON.stringify(answer).slice(1, -1));
});
