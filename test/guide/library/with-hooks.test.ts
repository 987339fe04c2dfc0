import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './with-hooks.ts';

const library = { bundle, props: { catalog: 'https://catalog.test', loansMax: 1 } };

test('the atlas stays in the house, and no answer promises anything', async () => {
  await using runtime = await openRuntime({
    ...library,
    model: [
      { call: { tool: 'library.lend', input: { title: 'Atlas' } } },
      { answer: 'I guarantee that you get it.' },
      { answer: 'It stays here. Ask at +49 30 1234567.' },
    ],
  });
  const turn = await runtime.send('The atlas, please. I am at 030 7654321.');
  expect((await turn.done()).text).toBe('It stays here. Ask at (a number).');
  const [first, second, third] = runtime.model.requests.map(({ text }) => text);
  expect(first).toContain('I am at (a number).');
  expect(second).toContain('The atlas stays in the house.');
  expect(third).toContain('Promise nothing.');
});
