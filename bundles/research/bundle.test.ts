import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

test('an answer cites the papers that were found', async () => {
  const search = { tool: 'papers.search', input: { words: ['tea'] } };
  const model = [{ call: search }, { answer: 'For 2,100 years [[S:1]].' }];
  await using runtime = await openRuntime({ bundle, model });
  const { text, sources } = await (await runtime.send('Since when?')).done();
  expect(text).toBe('For 2,100 years [[S:1]].');
  expect(sources.map(({ url }) => url)).toEqual(['https://doi.org/10.1038/srep18955']);
});

test('the pages of the house are found and read', async () => {
  const find = { tool: 'react.search_knowledge', input: { query: 'coffee house London' } };
  const read = { tool: 'react.read', input: { paths: ['ks:library/coffee.md'] } };
  const model = [{ call: find }, { call: read }, { answer: 'In 1652.' }];
  await using runtime = await openRuntime({ bundle, model });
  await (await runtime.send('When did the first one open?')).done();
  expect(runtime.model.requests[1]?.text).toContain('A short history of coffee');
  expect(runtime.model.requests[2]?.text).toContain('opened in 1652');
});
