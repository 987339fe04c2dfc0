import { expect, test } from 'vitest';
import { createScriptedModel } from '../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import { agentWith } from '../engine/kit/harness.ts';
import { openStage, signal } from '../gateway/stage.ts';

/** A fork of a conversation in mid-turn, which no worker has seen yet. */
async function openFork() {
  const owned = new Scope();
  const stage = owned.own(await openStage());
  const client = owned.own(connect({ url: stage.gateway.url }));
  const parent = client.conversation();
  await parent.send('When does it rain?');
  const fork = await parent.fork();
  return {
    client,
    fork,
    url: new URL('/api/chat/dev/dev/messages?wait=answer', stage.gateway.url),
    work: () => {
      // The conversations may be answered in either order.
      const model = createScriptedModel([{ answer: 'It rains.' }, { answer: 'It rains.' }], {
        id: 'scripted:test',
      });
      const agent = agentWith();
      const engine = { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model };
      owned.own(new Worker(engine, { signal }));
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

// proves: fork.open-turn
test('a message that joins the turn which a fork inherits gets the answer of the turn that reads it', async () => {
  await using stage = await openFork();
  const turn = await stage.fork.send('How much?', { messageId: 'm_1' });
  expect(turn.status).toBe('queued');
  const inherited = turn.id;
  stage.work();
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'It rains.' });
  expect(turn.id).not.toBe(inherited);
  const landed: unknown[] = [];
  for await (const event of turn.events()) {
    if (event.event.step === 'event.landed' && 'data' in event) landed.push(event.data);
  }
  expect(landed).toMatchObject([{ event_id: 'm_1', turn_id: turn.id }]);
  const again = await stage.fork.send('How much?', { messageId: 'm_1' });
  expect(await again.done()).toMatchObject({ reason: 'completed', text: 'It rains.' });
});

// proves: fork.open-turn
test('one request over HTTP gets the answer of the turn that reads it', async () => {
  await using stage = await openFork();
  const body = JSON.stringify({ conversation_id: stage.fork.id, text: 'How much?' });
  const headers = { 'content-type': 'application/json' };
  const response = fetch(stage.url, { method: 'POST', headers, body });
  for await (const { event } of stage.fork.events()) if (event.step === 'event.accepted') break;
  stage.work();
  expect(await (await response).json()).toMatchObject({ ok: true, text: 'It rains.' });
});
