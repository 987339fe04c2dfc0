import OpenAI from 'openai';
import { connect } from 'timeloom/client';
import { openRuntime, type Reply } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './agents.ts';

const price: Reply = { call: { tool: 'shop.look_up', input: { product: 'tea' } } };
const answer: Reply = { answer: 'Tea is 4 EUR.' };

/** One turn of an agent, over the API of OpenAI: its model is `bundle/agent`. */
async function turnOf(agent: string, model: readonly Reply[]) {
  await using runtime = await openRuntime({ bundle, model });
  const client = new OpenAI({ baseURL: `${runtime.url}/v1`, apiKey: 'any' });
  const { choices } = await client.chat.completions.create({
    model: `shop/${agent}`,
    messages: [{ role: 'user', content: 'What is tea?' }],
  });
  return { text: choices[0]?.message.content, requests: runtime.model.requests };
}

test.each(['kdcube', 'node', 'engine'])('the agent %s looks up a price', async (agent) => {
  expect((await turnOf(agent, [price, answer])).text).toBe('Tea is 4 EUR.');
});

test('the agent fim has another call write its answer', async () => {
  const written: Reply = { role: 'answer', answer: '**Tea** is 4 EUR.' };
  const { text, requests } = await turnOf('fim', [price, answer, written]);
  expect(text).toBe('**Tea** is 4 EUR.');
  expect(requests.map(({ role }) => role)).toEqual(['decision', 'decision', 'answer']);
  expect(requests[0]?.tools).toContain('react.run_plan');
});

test('the agent clerk waits for a person, who resumes it', async () => {
  const order: Reply = { call: { tool: 'shop.order', input: { product: 'tea' } } };
  await using runtime = await openRuntime({ bundle, model: [order, { answer: 'Ordered.' }] });
  await using client = connect({ url: runtime.url });
  const thread = client.conversation('thread-1', { agent: 'clerk' });
  const run = await thread.send('Order tea, please.');
  for await (const event of run.events()) {
    if (event.type !== 'chat.approval') continue;
    await thread.decide(event.data.request, { allow: true });
    break;
  }
  expect((await run.done()).text).toBe('Ordered.');
});

test('the agent scope switches a group of tools on, and remembers facts', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'memory.record', input: { facts: ['The user drinks green tea.'] } } },
      { call: { tool: 'react.tools', input: { add: ['ordering'] } } },
      { answer: 'I know now.' },
      { answer: 'Green.' },
    ],
  });
  await using client = connect({ url: runtime.url });
  const say = async (text: string) => {
    const turn = await client.conversation(undefined, { agent: 'scope' }).send(text);
    return (await turn.done()).text;
  };
  expect(await say('I drink green tea.')).toBe('I know now.');
  expect(await say('Which tea do I drink?')).toBe('Green.');
  const asked = runtime.model.requests.filter(({ role }) => role === 'decision');
  expect(asked[2]?.tools).toContain('shop.order');
  expect(asked[3]?.text).toContain('The user drinks green tea.');
});

test('a tool of the agent sorter gets a structured output', async () => {
  const call: Reply = { call: { tool: 'shop.classify', input: { text: 'Two teas, please.' } } };
  const kind: Reply = { role: 'small', output: { kind: 'order' } };
  const { text, requests } = await turnOf('sorter', [call, kind, { answer: 'An order.' }]);
  expect(text).toBe('An order.');
  expect(requests.at(-1)?.text).toContain('{"kind":"order"}');
});
