import { expect, test } from 'vitest';
import type { MessageAck } from '../../../../runtime/client/protocol/envelope.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { ask, bundles, openStage, scope, signal } from '../stage.ts';

type Send = { readonly [key: string]: unknown };

async function openChat({ exec = false, webSearch = false } = {}) {
  const stage = await openStage({ bundles: { ...bundles, allows: () => ({ exec, webSearch }) } });
  const socket = stage.connect();
  let count = 0;
  const send = async (message: Send): Promise<MessageAck> => {
    count += 1;
    const common = { conversation_id: 'conv_a', message_id: `m${count}`, text: 'Hello' };
    return (await ask(socket, 'chat_message', { ...common, ...message })) as MessageAck;
  };
  const blocks = async () => {
    const found = await stage.deps.store.find(scope, 'conv_a', { signal });
    return found ? stage.deps.store.read(found.key, { after: toSeq(0), limit: 100, signal }) : [];
  };
  return { send, blocks, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

// proves: message.options
test('options are on the turn that their message opens, and the acknowledgement says so', async () => {
  await using chat = await openChat({ exec: true, webSearch: true });
  const web_search = { size: 'large', location: { country: 'DE' }, domains: ['example.org'] };
  const options = { max_rounds: 3, exec: true, web_search };
  expect(await chat.send({ options })).toMatchObject({
    status: 'started',
    options_applied: true,
  });
  const [opened, prompt] = await chat.blocks();
  expect(opened?.data).toMatchObject({ options });
  expect(prompt?.data).toMatchObject({ options });
});

// proves: message.options
test('a message that joins an open turn does not change its options, and the acknowledgement says so', async () => {
  await using chat = await openChat();
  expect(await chat.send({})).not.toHaveProperty('options_applied');
  expect(await chat.send({ options: { max_rounds: 1 } })).toMatchObject({
    status: 'queued',
    options_applied: false,
  });
  const opened = (await chat.blocks()).filter(({ type }) => type === 'turn.open');
  expect(opened).toHaveLength(1);
  expect(opened[0]?.data).not.toHaveProperty('options');
});

// proves: message.options
test.each([
  [{ options: { max_rounds: -1 } }, /options\.max_rounds/],
  [{ options: { max_rounds: 1.5 } }, /options\.max_rounds/],
  [{ options: { rounds: 1 } }, /rounds/],
  [{ options: { exec: 'off' } }, /options\.exec/],
  [{ options: { web_search: {} } }, /options\.web_search: agent "main" does not search the web/],
  [{ options: { web_search: true } }, /options\.web_search/],
  [{ options: { web_search: { domains: ['Example.org/x'] } } }, /options\.web_search/],
  [{ options: { exec: true } }, /options\.exec: agent "main" runs no programs/],
  [
    { options: { model: 'openai:gpt-5' } },
    /options\.model: "openai:gpt-5": agent "main" offers no choice/,
  ],
  [{ kind: 'steer', options: { max_rounds: 1 } }, /options: steer opens no turn/],
])('%j is refused and nothing is stored', async (message, why) => {
  await using chat = await openChat();
  const ack = await chat.send(message);
  expect(ack).toMatchObject({ ok: false, status: 'refused', error: { code: 'invalid_input' } });
  expect(ack.ok ? '' : ack.error.message).toMatch(why);
  expect(await chat.blocks()).toEqual([]);
});
