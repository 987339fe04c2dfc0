import { HttpAgent } from '@ag-ui/client';
import { expect, test } from 'vitest';
import { createScriptedModel } from '../../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Scope } from '../../../../../runtime/base/scope.ts';
import { connect } from '../../../../../runtime/client/index.ts';
import { Worker } from '../../../../../runtime/engine/worker/worker.ts';
import { agentWith } from '../../../engine/kit/harness.ts';
import { openStage, signal } from '../../stage.ts';

const text = 'How much?';
const toMessage = (contextId: string) => ({
  ...{ messageId: `m_${contextId}`, contextId, role: 'user', parts: [{ kind: 'text', text }] },
});
const rpc = { jsonrpc: '2.0', id: 1 };
const toA2a = '/api/a2a/dev/dev/desk/main';
const input = { messages: [{ type: 'human', content: text }] };
const run = { assistant_id: 'desk/main', input, multitask_strategy: 'enqueue' };

/** A request of each protocol that joins the open turn of a conversation. */
const requests: Readonly<Record<string, (id: string) => { path: string; body: object }>> = {
  'chat completions': () => ({
    path: '/v1/chat/completions',
    body: { model: 'desk/main', messages: [{ role: 'user', content: text }] },
  }),
  'a stream of chat completions': () => ({
    path: '/v1/chat/completions',
    body: { model: 'desk/main', messages: [{ role: 'user', content: text }], stream: true },
  }),
  responses: (conversation) => ({
    path: '/v1/responses',
    body: { model: 'desk/main', input: text, conversation },
  }),
  'a stream of responses': (conversation) => ({
    path: '/v1/responses',
    body: { model: 'desk/main', input: text, conversation, stream: true },
  }),
  'the AI SDK': (id) => ({
    path: '/api/ai/dev/dev/desk/main',
    body: { id, message: { id: `m_${id}`, role: 'user', parts: [{ type: 'text', text }] } },
  }),
  'AG-UI': (threadId) => ({
    path: '/api/ag-ui/dev/dev/desk/main',
    body: {
      ...{ threadId, runId: 'run_1', state: {}, tools: [], context: [], forwardedProps: {} },
      messages: [{ id: `m_${threadId}`, role: 'user', content: text }],
    },
  }),
  A2A: (contextId) => ({
    path: toA2a,
    body: { ...rpc, method: 'message/send', params: { message: toMessage(contextId) } },
  }),
  'a stream of A2A': (contextId) => ({
    path: toA2a,
    body: { ...rpc, method: 'message/stream', params: { message: toMessage(contextId) } },
  }),
  'a stream of LangGraph': (id) => ({ path: `/threads/${id}/runs/stream`, body: run }),
  LangGraph: (id) => ({ path: `/threads/${id}/runs/wait`, body: run }),
};

/** Forks of a conversation in mid-turn. Their first owner closes that turn, so the message that joined it is answered by the next one. */
async function openForks() {
  const owned = new Scope();
  const stage = owned.own(await openStage());
  const client = owned.own(connect({ url: stage.gateway.url }));
  const parent = client.conversation();
  await parent.send('When does it rain?');
  return {
    fork: () => parent.fork(),
    send: async (name: string, id: string) => {
      const { path, body } = requests[name]?.(id) ?? { path: '', body: {} };
      const response = await fetch(new URL(path, stage.gateway.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-timeloom-conversation': id },
        body: JSON.stringify(body),
      });
      return await response.text();
    },
    work: () => {
      const replies = Array.from({ length: 20 }, () => ({ answer: 'It rains.' }));
      const model = createScriptedModel(replies, { id: 'scripted:test' });
      const agent = agentWith();
      const engine = { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model };
      owned.own(new Worker(engine, { signal }));
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/** How a stream of each protocol says that it has ended. A run of AG-UI ends before another one begins. */
const ends: Readonly<Record<string, readonly [RegExp, number]>> = {
  'a stream of chat completions': [/"finish_reason":"stop"/g, 1],
  'a stream of responses': [/"type":"response.completed"/g, 1],
  'the AI SDK': [/"type":"finish"/g, 1],
  'AG-UI': [/"type":"RUN_FINISHED"/g, 2],
  'a stream of A2A': [/"final":true/g, 1],
  'a stream of LangGraph': [/^event: end$/gm, 1],
};

// proves: endpoints.unread-message
test('a request in any protocol gets the answer of the turn that reads its message, and one end', async () => {
  await using forks = await openForks();
  const names = Object.keys(requests);
  const sent = await Promise.all(
    names.map(async (name) => {
      const fork = await forks.fork();
      const whole = forks.send(name, fork.id);
      for await (const { event } of fork.events()) if (event.step === 'event.accepted') break;
      return [name, whole] as const;
    }),
  );
  forks.work();
  const read: Record<string, string> = {};
  for (const [name, whole] of sent) read[name] = await whole;
  for (const name of names)
    expect([name, read[name]]).toEqual([name, expect.stringContaining('rains')]);
  for (const [name, [end, count]] of Object.entries(ends))
    expect([name, read[name]?.match(end)?.length]).toEqual([name, count]);
  expect(await readByAgUi(read['AG-UI'] ?? '')).toBe('It rains.');
});

/** What the official client, which checks the order of events, makes of a stream. */
async function readByAgUi(stream: string): Promise<unknown> {
  const headers = { 'content-type': 'text/event-stream' };
  const agent = new HttpAgent({
    url: 'http://agent',
    fetch: async () => new Response(stream, { headers }),
  });
  await agent.runAgent();
  return agent.messages.findLast(({ role }) => role === 'assistant')?.content;
}
