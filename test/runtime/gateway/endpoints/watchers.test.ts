import { HttpAgent } from '@ag-ui/client';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, listen } from '../stage.ts';
import { allEvents, eventsOf, type ServerEvent } from './events.ts';
import { openServedAgent } from './served-agent.ts';

/** The end of the turn as each protocol tells it. */
const answers: Readonly<Record<string, (events: readonly ServerEvent[]) => Promise<unknown>>> = {
  fim: async (events) => parse(events.at(-1), z.object({ answer: z.string() })).answer,
  agentscope: async (events) => {
    const message = z.object({ message: z.object({ content: z.array(z.looseObject({})) }) });
    const last = parse(
      events.findLast(({ event }) => event === 'message'),
      message,
    );
    return last.message.content.at(-1)?.['text'];
  },
  'ag-ui': async (events) => {
    const body = events.map(({ data }) => `data: ${data}\n\n`).join('');
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = async () => new Response(body, { headers });
    const agent = new HttpAgent({ url: 'http://localhost/', fetch });
    await agent.runAgent();
    return agent.messages.findLast(({ role }) => role === 'assistant')?.content;
  },
  ai: async (events) => {
    const chunks = events
      .filter(({ data }) => data !== '[DONE]')
      .map(({ data }) => JSON.parse(data) as UIMessageChunk);
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: streamOf(chunks) })) last = message;
    // What was shown before the steer stays, as an earlier answer.
    return last?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(-1);
  },
};

function parse<T>(event: ServerEvent | undefined, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(event?.data ?? 'null'));
}

function streamOf<T>(items: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });
}

// proves: endpoints.watchers
test('one turn has the same answer for the watchers of every protocol, also when one of them steers it', async () => {
  await using served = await openServedAgent([
    { thinking: 'Adding.', call: { tool: 'math.add', input: { a: 1, b: 2 } } },
    { answer: 'It is three, because {{hold}}one and two are three.', hold: 'half' },
    { answer: '3' },
  ]);
  const socket = served.stage.connect();
  const heard = listen(socket);
  await ask(socket, 'chat_message', { conversation_id: 'conv_a', message_id: 'm1', text: 'Sum?' });
  await served.model.held('half');
  const names = Object.keys(answers);
  const watched = names.map(async (as) => {
    const path = `/api/chat/dev/dev/conversations/conv_a/stream?as=${as}`;
    return allEvents(await fetch(served.url(path)));
  });
  const steer = { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'Only the number.' }] };
  const steered = await served.post('/api/ai/dev/dev/main', {
    id: 'conv_a',
    kind: 'steer',
    message: steer,
  });
  for await (const _ of eventsOf(steered));
  const end = await heard.until(({ type }) => type === 'chat.complete');
  expect(end.data?.['text']).toBe('3');
  const streams = await Promise.all(watched);
  const read = Object.values(answers).map((answerOf, at) => answerOf(streams[at] ?? []));
  const shown = await Promise.all(read);
  expect(Object.fromEntries(names.map((name, at) => [name, shown[at]]))).toEqual(
    Object.fromEntries(names.map((name) => [name, '3'])),
  );
});
