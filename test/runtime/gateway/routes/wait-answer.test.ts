import { expect, test } from 'vitest';
import { z } from 'zod';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { agentWith } from '../../engine/kit/harness.ts';
import { openStage, signal } from '../stage.ts';

const Body = z.looseObject({
  conversation_id: z.string().optional(),
  turn_id: z.string().optional(),
  error: z.looseObject({ code: z.string() }).optional(),
});
type Replies = Parameters<typeof createScriptedModel>[0];

/** A gateway and a worker, and a message sent to them over HTTP. */
async function openServer(replies: Replies) {
  const stage = await openStage();
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const agent = agentWith();
  const worker = new Worker(
    { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model },
    { signal },
  );
  return {
    model,
    async send(message: object, query = '?wait=answer') {
      const url = new URL(`/api/chat/dev/dev/messages${query}`, stage.gateway.url);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
      return { status: response.status, body: Body.parse(await response.json()) };
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}

// proves: message.options
test('options of a message over HTTP are on the turn that it opens', async () => {
  const call = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
  await using server = await openServer([call, { answer: 'It is 3.' }, { answer: 'Hello.' }]);
  const { status, body } = await server.send({
    text: 'Add',
    options: { max_rounds: 1, exec: false },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ options_applied: true, reason: 'exhausted', text: 'It is 3.' });
  const { conversation_id } = body;
  const next = await server.send({ text: 'Hi', conversation_id });
  expect(next.body).toMatchObject({ reason: 'completed', text: 'Hello.' });
  expect(next.body).not.toHaveProperty('options_applied');
  const wrong = await server.send({ text: 'Hi', options: { max_rounds: -1 } });
  expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
});

// proves: http.wait-answer
test('one request gets the answer of its turn, without any id', async () => {
  await using server = await openServer([{ answer: 'It is 3.' }]);
  const { status, body } = await server.send({ text: 'What is 1 + 2?' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, text: 'It is 3.', reason: 'completed' });
  expect([body.conversation_id, body.turn_id]).toEqual([
    expect.stringMatching(/^conv_/),
    expect.stringMatching(/^turn_/),
  ]);
});

// proves: http.wait-answer
test('a repeated request gets the answer of the turn that has ended', async () => {
  await using server = await openServer([{ answer: 'It is 3.' }]);
  const message = { message_id: 'm1', text: 'What is 1 + 2?' };
  const first = await server.send(message);
  expect(await server.send(message)).toEqual(first);
});

// proves: http.wait-answer
test('a turn that fails answers with its error, and other values of wait are refused', async () => {
  await using server = await openServer([]);
  const failed = await server.send({ text: 'Hello' });
  expect(failed.status).toBeGreaterThanOrEqual(400);
  expect(failed.body).toMatchObject({ ok: false, error: { code: 'SCRIPT_MISMATCH' } });
  const refused = await server.send({ text: 'Hello' }, '?wait=forever');
  expect([refused.status, refused.body.error?.code]).toEqual([400, 'invalid_input']);
});
