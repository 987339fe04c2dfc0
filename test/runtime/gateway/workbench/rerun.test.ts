import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../../../runtime/client/api/client.ts';
import { desk } from './inspect-kit.ts';
import { type ModelsRuntime, openWithModels } from './models-kit.ts';

const lookUp = {
  call: { tool: 'desk.look', input: { what: 'bridge' }, notes: 'Looking.' },
} as const;
let runtime: ModelsRuntime;
let client: Client;
let original: string;
beforeAll(async () => {
  runtime = await openWithModels({
    bundle: desk,
    models: {
      'scripted:usual': [
        lookUp,
        { answer: 'The bridge opened in 1874.' },
        { answer: 'The tunnel is older.' },
        { answer: 'It opened in 1999, as the edited result says.' },
      ],
      'scripted:other': [{ answer: 'Another model says 1901.' }],
    },
  });
  client = runtime.connect('ann');
  const conversation = client.conversation();
  original = conversation.id;
  const file = { name: 'note.txt', mime: 'text/plain', data: new TextEncoder().encode('a note') };
  await (await conversation.send('When did the bridge open?', { attachments: [file] })).done();
  await (await conversation.send('And the tunnel?')).done();
});
afterAll(() => runtime[Symbol.asyncDispose]());

const Answer = z.looseObject({
  conversation_id: z.string().default(''),
  turn_id: z.string().default(''),
  turns: z.array(z.looseObject({ turn: z.string(), seq: z.int() })).default([]),
});

async function request(path: string, body?: object, user = 'ann') {
  const response = await fetch(new URL(`/inspect/dev/dev/${path}`, runtime.url), {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', 'x-timeloom-user': user },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: Answer.parse(await response.json()) };
}

async function finished(id: string) {
  const conversation = client.conversation(id);
  await expect
    .poll(async () => (await request(`${id}/rounds`)).body['active_turn_id'])
    .toBe(undefined);
  expect(conversation.id).toBe(id);
  return (await request(`${id}/rounds`)).body.turns;
}

// proves: workbench.other-model
test('a turn is run again with another model, in a fork that says what it repeats', async () => {
  const second = (await request(`${original}/rounds`)).body.turns[1];
  const { status, body } = await request(`${original}/rerun`, {
    turn: second?.turn,
    model: 'scripted:other',
  });
  expect(status).toBe(202);
  const turns = await finished(body.conversation_id);
  expect(turns[1]).toMatchObject({
    prompt: 'And the tunnel?',
    model: 'scripted:other',
    rerun_of: { conversation: original, turn: second?.turn },
    answers: [{ text: 'Another model says 1901.' }],
    rounds: [{ model: 'scripted:other' }],
  });
  expect((await request('models')).body['items']).toEqual(['scripted:usual', 'scripted:other']);
  expect((await request(`${original}/rounds`)).body.turns).toHaveLength(2);
});

test('a model that cannot be opened is refused before anything is forked', async () => {
  const [first] = (await request(`${original}/rounds`)).body.turns;
  const wrong = { turn: first?.turn, model: 'nobody:none' };
  const { status, body } = await request(`${original}/rerun`, wrong);
  expect([status, body['error']]).toMatchObject([400, { code: 'invalid_input' }]);
  const missing = await request(`${original}/rerun`, { turn: 'turn_none' });
  expect(missing.status).toBe(404);
});

// proves: workbench.edit-result
test('a result is edited, and the turn goes on from there in a fork', async () => {
  const { body: blocks } = await request(`${original}/blocks?type=react.tool.result`);
  const [{ seq }] = z.tuple([z.looseObject({ seq: z.int() })]).parse(blocks['items']);
  const edited = '{"found":"The bridge opened in 1999."}';
  const { status, body } = await request(`${original}/edit`, { block: seq, text: edited });
  expect(status).toBe(202);
  const turns = await finished(body.conversation_id);
  expect(turns).toMatchObject([
    {
      reason: 'completed',
      resumed: { block: seq, conversation: original },
      rounds: [{ round: 1 }, { round: 2 }],
      answers: [{ text: 'It opened in 1999, as the edited result says.' }],
    },
  ]);
  const prompt = (await request(`${body.conversation_id}/rounds`)).body.turns[0];
  const [, round] = z.array(z.looseObject({ seq: z.int() })).parse(prompt?.['rounds']);
  const seen = JSON.stringify(
    (await request(`${body.conversation_id}/rounds/${round?.seq}/prompt`)).body,
  );
  expect(seen).toContain('opened in 1999');
  expect(seen).not.toContain('opened in 1874');
  const verified = await fetch(
    new URL(`/inspect/dev/dev/${body.conversation_id}/verify`, runtime.url),
    { method: 'POST' },
  );
  expect(await verified.text()).toContain('"problems":[]');
});

test('only results of calls can be edited', async () => {
  const { status, body } = await request(`${original}/edit`, { block: 1, text: 'x' });
  expect([status, body['error']]).toMatchObject([400, { code: 'invalid_input' }]);
});

// proves: workbench.rerun-files
test('a turn that is run again has its files', async () => {
  const [first] = (await request(`${original}/rounds`)).body.turns;
  const { body } = await request(`${original}/rerun`, {
    turn: first?.turn,
    model: 'scripted:other',
    text: 'What does the note say?',
  });
  const { body: blocks } = await request(`${body.conversation_id}/blocks?type=user.attachment`);
  expect(blocks).toMatchObject({ total: 1, items: [{ summary: 'a note', bytes: 6 }] });
});
