import { expect, test } from 'vitest';
import { openOpenAiStage } from './openai-stage.ts';

const hello = { model: 'bar/main', messages: [{ role: 'user' as const, content: 'Hello' }] };

// proves: openai.abort
test('a client that aborts stops its turn', async () => {
  await using stage = await openOpenAiStage([
    { answer: 'word '.repeat(2_000), chunk: 5, delay_ms: 20 },
  ]);
  const { data: stream, response } = await stage.openai.chat.completions
    .create({ ...hello, stream: true })
    .withResponse();
  const id = response.headers.get('x-timeloom-conversation') ?? '';
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  const conversation = stage.runtime.connect({ user: 'ann' }).conversation(id);
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.complete') continue;
    expect(event.data.reason).toBe('interrupted');
    break;
  }
});

// proves: openai.abort
test.each([
  { says: 'stops its turn, also without streaming', keyed: false, reason: 'interrupted' },
  { says: 'lets its turn go on if the request has a key', keyed: true, reason: 'completed' },
])('a client that aborts $says', async ({ keyed, reason }) => {
  const slow = { answer: 'word '.repeat(60), chunk: 5, delay_ms: 15 };
  await using stage = await openOpenAiStage([slow]);
  const { id } = await stage.openai.conversations.create();
  const stop = new AbortController();
  const key = keyed ? { 'Idempotency-Key': 'k1' } : {};
  const headers = { 'X-Timeloom-Conversation': id, ...key };
  const sent = stage.openai.chat.completions.create(hello, { headers, signal: stop.signal });
  sent.catch(() => undefined);
  const conversation = stage.runtime.connect({ user: 'ann' }).conversation(id);
  const ends: string[] = [];
  await expect.poll(() => stage.runtime.model.requests.length).toBe(1);
  stop.abort();
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.complete') continue;
    ends.push(event.data.reason);
    break;
  }
  expect(ends).toEqual([reason]);
});
