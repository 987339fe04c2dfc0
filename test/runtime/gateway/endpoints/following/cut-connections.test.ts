import { Client } from '@langchain/langgraph-sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openAgent } from '../../../../guide/clients/ag-ui.ts';
import { eventsOf, type ServerEvent } from '../events.ts';
import { answer, expectCuts, message, openBehindProxy } from './cut-turn.ts';

const isEnd: Readonly<Record<string, (event: ServerEvent) => boolean>> = {
  '': ({ event }) => event === 'chat_complete',
  'ag-ui': ({ data }) => data.startsWith('{"type":"RUN_FINISHED"'),
  agentscope: ({ event }) => event === 'end',
  fim: ({ event }) => event === 'done',
  langgraph: ({ event }) => event === 'end',
};

/** Every event up to the end of the turn, over as many connections as it takes. */
async function follow(server: string, as: string): Promise<readonly ServerEvent[]> {
  const url = new URL('/api/chat/dev/dev/conversations/conv_a/stream', server);
  if (as !== '') url.searchParams.set('as', as);
  const events: ServerEvent[] = [];
  const isOver = () => events.some((event) => isEnd[as]?.(event));
  // A cut ends a connection with an error: the next one goes on after the last event.
  while (!isOver()) await readOnce(url, { events, isOver }).catch(() => undefined);
  return events;
}

type Reading = { readonly events: ServerEvent[]; isOver(): boolean };

async function readOnce(url: URL, { events, isOver }: Reading): Promise<void> {
  const last = events.at(-1)?.id;
  const headers = last === undefined ? {} : { 'last-event-id': last };
  for await (const event of eventsOf(await fetch(url, { headers }))) {
    if (event.event !== ':') events.push(event);
    if (isOver()) return;
  }
}

// proves: endpoints.proxy
test('behind a proxy that cuts every connection, each protocol with cursors gives an unbroken turn', async () => {
  await using world = await openBehindProxy();
  await world.served.post('/api/chat/dev/dev/messages', message);
  const names = Object.keys(isEnd);
  const watch = (url: string) => Promise.all(names.map((name) => follow(url, name)));
  const [cut, whole] = await Promise.all([watch(world.proxy.url), watch(world.served.url('/'))]);
  const read = (all: readonly (readonly ServerEvent[])[]) =>
    all.map((events) => events.map(({ event, data }) => [event, data]));
  expect(read(cut)).toEqual(read(whole));
  await expectCuts(world, names.length);
});

// proves: endpoints.proxy
test('the client of AG-UI in the guide ends with the answer', async () => {
  await using world = await openBehindProxy();
  const agent = openAgent(world.proxy.url, 'conv_a');
  agent.addMessage({ id: 'm1', role: 'user', content: 'What is 1 + 2?' });
  await agent.runAgent();
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: answer });
  await expectCuts(world, 2);
});

const part = z.looseObject({ event: z.string(), data: z.unknown() });
const values = z.looseObject({ messages: z.array(z.looseObject({ content: z.string() })) });

// proves: endpoints.proxy
test('the unmodified client of LangGraph ends with the answer', async () => {
  await using world = await openBehindProxy();
  const client = new Client({ apiUrl: world.proxy.url, apiKey: null });
  const parts: z.infer<typeof part>[] = [];
  const stream = client.runs.stream('thread_1', 'main', {
    input: { messages: [{ type: 'human', content: 'What is 1 + 2?', id: 'm1' }] },
    streamMode: ['values', 'messages-tuple'],
    streamResumable: true,
  });
  for await (const each of stream) parts.push(part.parse(each));
  const last = parts.findLast(({ event }) => event === 'values');
  expect(values.parse(last?.data).messages.at(-1)?.content).toBe(answer);
  await expectCuts(world, 1);
});

// proves: endpoints.proxy
test('a background response is followed by numbers, and a completion with a key is asked for again', async () => {
  await using world = await openBehindProxy();
  const openai = new OpenAI({ baseURL: `${world.proxy.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const request = { model: 'desk/main', input: 'What is 1 + 2?', background: true } as const;
  const { id } = await openai.responses.create(request);
  const numbers: number[] = [];
  let [text, isOver] = ['', false];
  while (!isOver) {
    try {
      const after = { stream: true, starting_after: numbers.at(-1) ?? -1 } as const;
      for await (const event of await openai.responses.retrieve(id, after)) {
        numbers.push(event.sequence_number);
        if (event.type === 'response.output_text.done') text = event.text;
        isOver = event.type === 'response.completed';
      }
    } catch {
      // Cut: the rest follows the last number.
    }
  }
  expect(text).toBe(answer);
  expect(numbers).toEqual(numbers.map((_, at) => at));
  await expectCuts(world, 2);
});

// proves: endpoints.proxy
test('a completion with an Idempotency-Key is repeated until its answer arrives, and is one turn', async () => {
  await using world = await openBehindProxy();
  const body = { model: 'desk/main', messages: [{ role: 'user', content: 'What is 1 + 2?' }] };
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' };
  const send = () =>
    fetch(`${world.proxy.url}/v1/chat/completions`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    }).then((response) => response.json());
  let completion: unknown;
  while (completion === undefined) completion = await send().catch(() => undefined);
  expect(completion).toMatchObject({ choices: [{ message: { content: answer } }] });
  expect(world.served.model.left).toBe(0);
  await expectCuts(world, 2);
});
