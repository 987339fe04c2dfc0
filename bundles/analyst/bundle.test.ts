import { readFileSync } from 'node:fs';
import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

// proves: sdk.testing

const file = new URL('../../node_modules/vega-datasets/data/seattle-weather.csv', import.meta.url);
const weather = { name: 'weather.csv', mime: 'text/csv', data: new Uint8Array(readFileSync(file)) };
const look = {
  thinking: 'Look first.',
  call: {
    tool: 'weather.profile',
    input: { path: 'fi:{{turn}}.user.attachments/weather.csv', months: [6, 7, 8] },
  },
};

test('an attached table is profiled, with progress', async () => {
  await using runtime = await openRuntime({ bundle, model: [look, { answer: 'Warmer.' }] });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Are summers warmer?', { attachments: [weather] });
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Warmer.' });
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool')).toEqual([
    'react.tool.call weather.profile',
    'react.tool.progress reading weather.csv',
    'react.tool.progress date profiled',
    'react.tool.progress precipitation profiled',
    'react.tool.progress temp_max profiled',
    'react.tool.progress temp_min profiled',
    'react.tool.progress wind profiled',
    'react.tool.progress weather profiled',
    'react.tool.progress grouping by year and month',
    'react.tool.result ok',
  ]);
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({
    ret: {
      rows: 368,
      by_year: [{ temp_max: 22.5 }, { temp_max: 25.2 }, { temp_max: 25 }, { temp_max: 26.8 }],
    },
  });
});

test('a file that is not a table is refused, and so is one that is too long', async () => {
  const script = [look, look, { answer: 'No.' }];
  await using runtime = await openRuntime({ bundle, props: { rowsMax: 10 }, model: script });
  const conversation = runtime.connect().conversation();
  const empty = { ...weather, data: new TextEncoder().encode('just a line') };
  const turn = await conversation.send('Look', { attachments: [empty] });
  await turn.done();
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result not_a_table',
    'react.tool.result not_a_table',
  ]);
});

test('normals are cited from one source', async () => {
  const ask = (month: number) => ({ tool: 'weather.normals', input: { month } });
  const answer = 'In July 25 °C is normal [[S:1]].';
  const model = [{ call: [ask(1), ask(7)] }, { answer }];
  await using runtime = await openRuntime({ bundle, model });
  const { text, sources } = await (await runtime.send('What is normal?')).done();
  expect(text).toBe(answer);
  expect(sources.map(({ sid }) => sid)).toEqual([1]);
});

test('the house skill is there to read', async () => {
  const read = { tool: 'react.read', input: { paths: ['sk:analyst.weather-report'] } };
  await using runtime = await openRuntime({ bundle, model: [{ call: read }, { answer: 'Read.' }] });
  await (await runtime.send('How do reports look?')).done();
  const [first, second] = runtime.model.requests;
  expect(first?.text).toContain('sk:analyst.weather-report');
  expect(second?.text).toContain('One page that a person reads in a minute.');
});
