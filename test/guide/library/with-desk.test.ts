import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-desk.ts';

test('the clerk delegates, and cites what the researcher found', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'library.research', input: { question: 'Since when is there tea?' } } },
      { call: { tool: 'archive.search', input: { words: 'tea' } } },
      { answer: 'For 5,000 years, they say [[S:1]].' },
      { answer: 'For very long [[S:1]].' },
    ],
  });
  const turn = await runtime.send('Since when is there tea?');
  const { text, sources } = await turn.done();
  expect(text).toBe('For very long [[S:1]].');
  expect(sources.map(({ title }) => title)).toEqual(['A history of tea']);
  expect(runtime.model.requests[1]?.text).toContain('Since when is there tea?');
});
