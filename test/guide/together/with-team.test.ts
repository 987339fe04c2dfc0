import { openRuntime, type Reply } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-team.ts';

const steps = [
  { id: 'tea', task: 'Count the books about tea.', agent: 'counter', hint: 'fast' },
  { id: 'rum', task: 'Count the books about rum.', agent: 'counter', hint: 'fast' },
  { id: 'compare', task: 'Say which is more.', agent: 'head', needs: ['tea', 'rum'] },
];
const model: Reply[] = [
  { call: { tool: 'react.run_plan', input: { steps } } },
  { when: 'books about tea', answer: 'Seven about tea.', beside: true },
  { when: 'books about rum', answer: 'Two about rum.', beside: true },
  { when: 'Seven about tea.', answer: 'Tea is more.' },
  { role: 'small', output: { achieved: true, missing: '' } },
  { answer: 'There are more books about tea.' },
];

test('two counters work side by side, and a third agent compares what they found', async () => {
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('More books about tea or about rum?');
  expect((await turn.done()).text).toBe('There are more books about tea.');
});

test('one stream shows the head and all agents that work for it', async () => {
  await using runtime = await openRuntime({ bundle, model });
  const conversation = runtime.connect().conversation();
  await conversation.send('More books about tea or about rum?');
  const answers: string[] = [];
  for await (const event of conversation.events({ family: true })) {
    if (event.type !== 'chat.complete') continue;
    answers.push(event.data.text);
    if (event.conversationId === conversation.id) break;
  }
  expect(answers).toHaveLength(4);
  expect(answers.at(-1)).toBe('There are more books about tea.');
});
