import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../../../runtime/client/api/client.ts';
import { defineAgent } from '../../../../runtime/sdk/define/agent.ts';
import { defineBundle } from '../../../../runtime/sdk/define/bundle.ts';
import { type ModelsRuntime, openWithModels } from './models-kit.ts';

const main = { id: 'main', instruction: 'Answer.' };
const bundle = defineBundle({
  id: 'desk',
  version: '1',
  agents: [
    defineAgent({
      ...main,
      modelChoices: ['scripted:other', { model: 'scripted:third', maxOutputTokens: 500 }],
    }),
    defineAgent({ ...main, id: 'fixed' }),
  ],
});

let runtime: ModelsRuntime;
let client: Client;
beforeEach(async () => {
  runtime = await openWithModels({
    bundle,
    models: {
      'scripted:usual': [{ answer: 'Usual.' }, { answer: 'Usual again.' }],
      'scripted:other': [{ answer: 'Other.' }, { answer: 'Other again.' }],
      'scripted:third': [{ answer: 'Third.' }],
      'scripted:secret': [{ answer: 'Nobody may choose this.' }],
    },
  });
  client = runtime.connect('ann');
});
afterEach(() => runtime[Symbol.asyncDispose]());

async function ask(model?: string, agent?: string): Promise<string> {
  const turn = await client
    .conversation(undefined, { bundle: 'desk', agent })
    .send('Why?', model === undefined ? {} : { options: { model } });
  return (await turn.done()).text;
}

// proves: models.choices
test('the model that a user chooses answers the turn, and the next turn has that of the agent', async () => {
  const conversation = client.conversation();
  const first = await conversation.send('Why?', { options: { model: 'scripted:other' } });
  expect((await first.done()).text).toBe('Other.');
  expect((await (await conversation.send('And?')).done()).text).toBe('Usual.');
  expect(await ask('scripted:third')).toBe('Third.');
});

// proves: models.choices
test('clients read which models each agent offers, and another one is refused with them', async () => {
  const [desk] = await client.bundles();
  expect(desk?.modelChoices).toEqual({ main: ['scripted:other', 'scripted:third'] });
  await expect(ask('scripted:secret')).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'options.model: "scripted:secret": agent "main" offers scripted:other, scripted:third',
  });
  await expect(ask('scripted:other', 'fixed')).rejects.toThrow(
    'agent "fixed" offers no choice of models',
  );
  expect((await client.conversations()).items).toEqual([]);
});

const Started = z.looseObject({ conversation_id: z.string(), turn_id: z.string() });

// proves: models.choices
test('a turn with a chosen model is run again with it, and with the model of another agent there', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Why?', { options: { model: 'scripted:other' } });
  await turn.done();
  const again = async (body: object) => {
    const response = await fetch(
      new URL(`/inspect/dev/dev/${conversation.id}/rerun`, runtime.url),
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-timeloom-user': 'ann' },
        body: JSON.stringify({ turn: turn.id, ...body }),
      },
    );
    const { conversation_id: id } = Started.parse(await response.json());
    const copy = client.conversation(id);
    await expect.poll(() => copy.state.turns.at(-1)?.end?.reason).toBe('completed');
    return copy.state.turns.at(-1)?.answer;
  };
  expect(await again({})).toBe('Other again.');
  expect(await again({ bundle: 'desk', agent: 'fixed' })).toBe('Usual.');
});
