import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const library = {
  bundle,
  props: { catalog: 'https://catalog.test', loansMax: 1 },
  secrets: { CATALOG_KEY: 'open-sesame' },
  fetch: () =>
    Response.json([{ title: 'Emma', author: 'Austen', url: 'https://catalog.test/emma' }]),
};

test('a book is found, cited and lent', async () => {
  await using runtime = await openRuntime({
    ...library,
    model: [
      { thinking: 'Search first.', call: { tool: 'library.search', input: { words: 'Austen' } } },
      { call: { tool: 'library.lend', input: { title: 'Emma' } } },
      { answer: 'I lent you Emma [[S:1]].' },
    ],
  });
  const turn = await runtime.send('Something by Austen, please.');
  const { text, sources } = await turn.done();
  expect(text).toBe('I lent you Emma [[S:1]].');
  expect(sources.map(({ title }) => title)).toEqual(['Emma']);
  expect(outline(await turn.blocks(), 'react.tool.call', 'canvas')).toEqual([
    'react.tool.call library.search',
    'react.tool.call library.lend',
    'canvas',
  ]);
});

test('a full shelf causes a refusal that the model can read', async () => {
  const lend = (title: string) => ({ call: { tool: 'library.lend', input: { title } } });
  const model = [lend('Emma'), lend('Persuasion'), { answer: 'Bring one back first.' }];
  await using runtime = await openRuntime({ ...library, model });
  const turn = await runtime.send('Both, please.');
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result ok',
    'react.tool.result too_many_loans',
  ]);
  expect(runtime.model.requests.at(-1)?.text).toContain('1 books at a time');
});
