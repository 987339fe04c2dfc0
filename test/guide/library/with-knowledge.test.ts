import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-knowledge.ts';

test('a page of the handbook is found by a word and read', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'react.search_knowledge', input: { query: 'late' } } },
      { call: { tool: 'react.read', input: { paths: ['ks:handbook/fines.md'] } } },
      { answer: 'Ten cents a day.' },
    ],
  });
  expect(await (await runtime.send('What if I am late?')).done()).toMatchObject({
    reason: 'completed',
  });
  const [, found = '', read = ''] = runtime.model.requests.map(({ text }) => text);
  expect(found).toContain('- ks:handbook/fines.md · Fines');
  expect(read).toContain('Ten cents a day');
});
