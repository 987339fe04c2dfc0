import { expect, test } from 'vitest';
import type { Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import { defineAgent, defineBundle } from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

type Memory = NonNullable<Parameters<typeof defineAgent>[0]['memory']>;

function deskWith(memory: Memory) {
  const agent = defineAgent({ id: 'main', instruction: 'Help.', memory });
  return defineBundle({ id: 'desk', version: '1.0.0', agents: [agent] });
}

const keep = (...facts: readonly string[]): Reply => ({ role: 'small', output: { facts } });

async function ask(runtime: Awaited<ReturnType<typeof openRuntime>>, text: string) {
  const turn = await runtime.connect().conversation().send(text);
  return { turn, ...(await turn.done()) };
}

const textsOf = async (runtime: Awaited<ReturnType<typeof openRuntime>>) =>
  (await runtime.connect().memory.list()).map(({ text }) => text);

// proves: memory.recall
test('a fact from one conversation is in the prompt of another, until the user forgets it', async () => {
  const model: Reply[] = [
    { answer: 'Hello Ada.' },
    keep('The user is called Ada', 'The user keeps bees'),
    { answer: 'Bees need water.' },
    keep(),
    { answer: 'I do not know.' },
    keep(),
  ];
  await using runtime = await openRuntime({ bundle: deskWith({ mode: 'static' }), model });
  await ask(runtime, 'I am Ada, and I keep bees.');
  await expect.poll(() => textsOf(runtime)).toHaveLength(2);

  await ask(runtime, 'What do my bees need in summer?');
  const second = runtime.model.requests.at(2)?.text ?? '';
  expect(second).toContain('[LONG-TERM MEMORY]\n- The user keeps bees');
  expect(second).toContain('The user is called Ada');
  await expect.poll(() => runtime.model.requests.length).toBe(4);

  const { memory } = runtime.connect();
  const bees = (await memory.list()).find(({ text }) => text.includes('bees'));
  await memory.forget(bees?.id ?? '');
  await ask(runtime, 'What do my bees need in winter?');
  const third = runtime.model.requests.at(4)?.text ?? '';
  expect(third).toContain('The user is called Ada');
  expect(third).not.toContain('keeps bees');
});

// proves: memory.recall
test('a fact that is forgotten during a turn is not in its next prompt', async () => {
  const model: Reply[] = [
    { answer: 'Hello Ada.' },
    keep('The user keeps bees'),
    { thinking: 'Look.', call: { tool: 'react.memsearch', input: {} }, hold: 'first round' },
    { answer: 'Done.' },
    keep(),
  ];
  await using runtime = await openRuntime({ bundle: deskWith({ mode: 'static' }), model });
  await ask(runtime, 'I keep bees.');
  await expect.poll(() => textsOf(runtime)).toHaveLength(1);
  const client = runtime.connect();
  const turn = await client.conversation().send('What do bees need?');
  await runtime.model.held('first round');
  expect(runtime.model.requests.at(2)?.text).toContain('keeps bees');
  expect(await client.memory.forgetAll()).toBe(1);
  runtime.model.release('first round');
  await turn.done();
  expect(runtime.model.requests.at(3)?.text).not.toContain('keeps bees');
});

// proves: memory.recall
test('the model records and retrieves facts itself, and forgetting hides what it retrieved', async () => {
  const record = { tool: 'memory.record', input: { facts: ['The user keeps bees'] } };
  const retrieve = { tool: 'memory.retrieve', input: { query: 'bees' } };
  const model: Reply[] = [
    { call: record },
    { answer: 'Noted.' },
    { call: retrieve },
    { answer: 'You keep bees.' },
    { answer: 'Nothing.' },
  ];
  await using runtime = await openRuntime({ bundle: deskWith({ mode: 'agent' }), model });
  await ask(runtime, 'Remember my hobby.');
  const client = runtime.connect();
  const conversation = client.conversation();
  await (await conversation.send('What is my hobby?')).done();
  expect(runtime.model.requests.at(2)?.text).not.toContain('keeps bees');
  expect(runtime.model.requests.at(3)?.text).toContain('The user keeps bees');
  await client.memory.forgetAll();
  await (await conversation.send('And now?')).done();
  const last = runtime.model.requests.at(4)?.text ?? '';
  expect(last).toContain('forgotten at the request of the user');
  expect(last).not.toContain('The user keeps bees');
});

// proves: memory.recall
test('an agent whose memory is off has no tools for it, and nothing of its turns is recorded', async () => {
  await using runtime = await openRuntime({
    bundle: deskWith({ mode: 'off' }),
    model: [{ answer: 'Hello.' }],
  });
  const { turn } = await ask(runtime, 'I keep bees.');
  expect(runtime.model.requests[0]?.text).not.toContain('memory.record');
  expect((await turn.blocks()).map(({ type }) => type)).not.toContain('memory.recalled');
});

// proves: memory.recall
test('an agent recalls the facts of the scopes that it names', async () => {
  const note = (scope: string) => {
    return { tool: 'memory.record', input: { facts: [`Bees live in the ${scope}`], scope } };
  };
  const model: Reply[] = [
    { call: note('tenant') },
    { call: note('agent') },
    { answer: 'Noted.' },
    keep(),
    { answer: 'Bees.' },
    keep(),
  ];
  const memory = { mode: 'both', scopes: ['user', 'tenant'] } as const;
  await using runtime = await openRuntime({ bundle: deskWith(memory), model });
  await ask(runtime, 'Remember where bees live.');
  expect(runtime.model.requests.at(2)?.text).toContain('denied');
  await expect.poll(() => runtime.model.requests.length).toBe(4);
  const other = runtime.connect({ user: 'other' });
  await (await other.conversation().send('Where do bees live?')).done();
  expect(runtime.model.requests.at(4)?.text).toContain('Bees live in the tenant');
});

// proves: memory.recording
test('a worker killed before the recording loses nothing and records nothing twice', async () => {
  const model: Reply[] = [
    { answer: 'Hello Ada.' },
    { ...keep('The user keeps bees'), hold: 'extraction' },
    keep('The user keeps bees', 'The user is called Ada'),
  ];
  await using runtime = await openRuntime({ bundle: deskWith({ mode: 'static' }), model });
  await ask(runtime, 'I am Ada, and I keep bees.');
  await runtime.model.held('extraction');
  await runtime.crash();
  await expect
    .poll(() => textsOf(runtime))
    .toEqual(expect.arrayContaining(['The user keeps bees', 'The user is called Ada']));
  expect(await textsOf(runtime)).toHaveLength(2);
});

// proves: memory.recording
test('an interrupted turn is recorded as well', async () => {
  const model: Reply[] = [
    { thinking: 'A long thought', hold: 'thinking' },
    keep('The user keeps bees'),
  ];
  await using runtime = await openRuntime({ bundle: deskWith({ mode: 'static' }), model });
  const turn = await runtime.connect().conversation().send('I keep bees.');
  await runtime.model.held('thinking');
  await turn.stop();
  expect(await turn.done()).toMatchObject({ reason: 'interrupted' });
  await expect.poll(() => textsOf(runtime)).toEqual(['The user keeps bees']);
});

// proves: memory.erasure-facts
test('what an erased conversation has left is forgotten', async () => {
  const model: Reply[] = [{ answer: 'Hello.' }, keep('The user keeps bees')];
  await using runtime = await openRuntime({ bundle: deskWith({ mode: 'static' }), model });
  const client = runtime.connect();
  const conversation = client.conversation();
  await (await conversation.send('I keep bees.')).done();
  await expect.poll(() => textsOf(runtime)).toHaveLength(1);
  expect((await client.memory.list())[0]?.conversation).toBe(conversation.id);
  await conversation.erase();
  await expect.poll(() => textsOf(runtime)).toEqual([]);
});
