import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const look = (day: string) => ({ call: { tool: 'new_bundle.opening_hours', input: { day } } });

test('opening hours are looked up', async () => {
  const model = [look('monday'), { answer: 'Until 17:00.' }];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('How long are you open on Monday?');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Until 17:00.' });
  expect(outline(await turn.blocks(), 'react.tool')).toEqual([
    'react.tool.call new_bundle.opening_hours',
    'react.tool.result ok',
  ]);
  expect(runtime.model.requests[1]?.text).toContain('9:00–17:00');
});

test('a closed day is a refusal that the model can read', async () => {
  const model = [look('sunday'), { answer: 'We are closed.' }];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('And on Sunday?');
  expect((await turn.done()).text).toBe('We are closed.');
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual(['react.tool.result closed']);
});

test('the model can read the skill', async () => {
  const read = { tool: 'react.read', input: { paths: ['sk:new-bundle.house-style'] } };
  await using runtime = await openRuntime({ bundle, model: [{ call: read }, { answer: 'Read.' }] });
  await (await runtime.send('How do notices look?')).done();
  expect(runtime.model.requests[1]?.text).toContain('no exclamation marks');
});
