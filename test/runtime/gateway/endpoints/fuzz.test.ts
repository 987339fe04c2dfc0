import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../tools/runs.ts';
import { ask } from '../stage.ts';
import { bodies, expectTyped, openFuzzedStage } from './fuzz-kit.ts';

const file = { type: 'file', url: 'data:text/csv;base64,YSxiCg==', mediaType: 'text/csv' };
const tool = { type: 'dynamic-tool', toolName: 't', toolCallId: 'tc_1', state: 'output-available' };
const chats = [
  {
    id: 'chat_1',
    trigger: 'submit-message',
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }, file] }],
  },
  {
    id: 'chat_1',
    message: {
      id: 'm2',
      role: 'assistant',
      parts: [{ type: 'step-start' }, { ...tool, output: 1 }],
    },
  },
  {
    id: 'chat_1',
    kind: 'steer',
    options: { max_rounds: 3 },
    message: { id: 'm3', role: 'user', parts: [] },
  },
];
const document = {
  type: 'document',
  source: { type: 'data', value: 'YSxiCg==', mimeType: 'text/csv' },
};
const run = {
  threadId: 'thread_1',
  runId: 'run_1',
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
};
const agUiRuns = [
  {
    ...run,
    messages: [{ id: 'm1', role: 'user', content: [{ type: 'text', text: 'Hi' }, document] }],
  },
  {
    ...run,
    messages: [{ id: 'r1', role: 'tool', toolCallId: 'tc_1', content: '{}' }],
    tools: [{ name: 'f', description: '', parameters: {} }],
  },
  {
    ...run,
    messages: [],
    resume: [{ interruptId: 'tc_1', status: 'resolved', payload: { approved: true } }],
  },
  {
    ...run,
    messages: [{ id: 'm4', role: 'user', content: 'Hi' }],
    context: [{ description: 'a', value: 'b' }],
  },
];
const post = (url: URL, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

// proves: endpoints.fuzzed
test.each([
  ['/api/ai/dev/dev/main', chats, z.object({ type: z.literal('error'), errorText: z.string() })],
  [
    '/api/ag-ui/dev/dev/main',
    agUiRuns,
    z.object({ type: z.literal('RUN_ERROR'), message: z.string() }),
  ],
] as const)(
  '%s answers any body with a stream or an error of its protocol',
  async (path, valid, error) => {
    await using stage = await openFuzzedStage();
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodies(valid), async (sent) => {
        const response = await post(new URL(path, stage.gateway.url), sent);
        statuses.add(await expectTyped(response, { error, sent }));
      }),
      runs(200, 200),
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
    expect((await fetch(new URL('/health', stage.gateway.url))).status).toBe(200);
  },
);

// proves: endpoints.fuzzed
test('any name, id and header of a watched stream is answered with a stream or an error', async () => {
  await using stage = await openFuzzedStage();
  const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'Hi' };
  await ask(stage.connect(), 'chat_message', message);
  const error = z.object({ ok: z.literal(false), error: z.object({ code: z.string() }) });
  const id = fc.stringMatching(/^[\x20-\x7e]{0,60}$/);
  const as = fc.oneof(fc.constantFrom('fim', 'ai', 'ag-ui', 'agentscope', 'openai'), id);
  await fc.assert(
    fc.asyncProperty(as, id, fc.boolean(), async (name, last, isHeader) => {
      const url = new URL('/api/chat/dev/dev/conversations/conv_a/stream', stage.gateway.url);
      url.searchParams.set('as', name);
      if (!isHeader) url.searchParams.set('after', last);
      const response = await fetch(url, { headers: isHeader ? { 'last-event-id': last } : {} });
      await expectTyped(response, { error, sent: `${url.search} ${last}` });
    }),
    runs(200),
  );
});
