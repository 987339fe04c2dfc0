import { expect, test } from 'vitest';
import { ask, openStage, type Stage } from '../../stage.ts';
import { eventsOf } from '../events.ts';
import { endpoints } from './endpoints.ts';

/** How the first event of each protocol says that a turn is at work. */
const signs: Readonly<Record<string, string>> = {
  '': '"type":"chat.start"',
  openai: '"delta":{"role":"assistant","content":""}',
  ai: '{"type":"start"',
  'ag-ui': '{"type":"RUN_STARTED"',
  fim: '{"type":"thinking","status":"start","iteration":1}',
  agentscope: '"content":[]},"last":false}',
  langgraph: '"run_id":"turn_',
};
/** Of the endpoints that answer with a stream. */
const streams: Readonly<Record<string, string>> = {
  'AI SDK': signs['ai'] ?? '',
  'AG-UI': signs['ag-ui'] ?? '',
  'Chat Completions': signs['openai'] ?? '',
  Responses: '"status":"in_progress"',
};

async function firstOf(response: Response): Promise<string> {
  for await (const { data } of eventsOf(response)) return data;
  return 'no event';
}

/** No worker has begun with the turn, so no token exists. */
async function openAccepted(): Promise<Stage> {
  const stage = await openStage();
  const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'Hi' };
  expect(await ask(stage.connect(), 'chat_message', message)).toMatchObject({ status: 'started' });
  return stage;
}

// proves: endpoints.at-work
test.each(Object.keys(signs))(
  'a watcher before the first token sees that a turn is at work (as=%s)',
  async (as) => {
    await using stage = await openAccepted();
    const url = new URL('/api/chat/dev/dev/conversations/conv_a/stream', stage.gateway.url);
    if (as !== '') url.searchParams.set('as', as);
    expect(await firstOf(await fetch(url))).toContain(signs[as]);
  },
);

// proves: endpoints.at-work
test.each(Object.keys(streams))(
  'the response of %s says before the first token that a turn is at work',
  async (name) => {
    await using stage = await openStage();
    const { path, body } = endpoints[name] ?? { path: () => '/', body: () => ({}) };
    const sent = { id: 'm1', text: 'Hi', agent: 'main' };
    const response = await fetch(new URL(path('main'), stage.gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body(sent)),
    });
    expect(await firstOf(response)).toContain(streams[name]);
  },
);

// proves: endpoints.at-work
test.each([
  { client: 'the AI SDK', path: '/api/ai/dev/dev/main/conv_a/stream', sign: '{"type":"start"' },
  { client: 'LangGraph', path: '/threads/conv_a/stream', sign: '"run_id":"turn_' },
])('$client comes back before the first token, to a turn at work', async ({ path, sign }) => {
  await using stage = await openAccepted();
  expect(await firstOf(await fetch(new URL(path, stage.gateway.url)))).toContain(sign);
});

// proves: endpoints.at-work
test('a thread is busy and a task is being worked on before the first token', async () => {
  await using stage = await openAccepted();
  const thread = await fetch(new URL('/threads/conv_a', stage.gateway.url));
  expect(await thread.json()).toMatchObject({ status: 'busy' });
  const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { contextId: 'conv_a' } };
  const tasks = await fetch(new URL('/api/a2a/dev/dev/main', stage.gateway.url), {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(list),
  });
  expect(await tasks.text()).toMatch(/"state":"TASK_STATE_(SUBMITTED|WORKING)"/);
});
