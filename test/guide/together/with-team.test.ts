import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-team.ts';

test('two counters work side by side, and a third agent compares what they found', async () => {
  const steps = [
    { id: 'tea', task: 'Count the books about tea.', agent: 'counter', hint: 'fast' },
    { id: 'rum', task: 'Count the books about rum.', agent: 'counter', hint: 'fast' },
    { id: 'compare', task: 'Say which is more.', agent: 'head', needs: ['tea', 'rum'] },
  ];
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'react.run_plan', input: { steps } } },
      { when: 'books about tea', answer: 'Seven about tea.', beside: true },
      { when: 'books about rum', answer: 'Two about rum.', beside: true },
      { when: 'Seven about tea.', answer: 'Tea is more.' },
      { role: 'small', output: { achieved: true, missing: '' } },
      { answer: 'There are more books about tea.' },
    ],
  });
  const turn = await runtime.send('More books about tea or about rum?');
  expect((await turn.done()).text).toBe('There are more books about tea.');
});
