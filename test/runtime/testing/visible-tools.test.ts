import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool, starters } from '../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../runtime/testing/index.ts';

function toolOf(id: `${string}.${string}`) {
  return defineTool({ id, description: `Is ${id}.`, input: z.object({}), run: () => id });
}

function bundleOf(agent: Omit<Parameters<typeof defineAgent>[0], 'id' | 'instruction'>) {
  const main = defineAgent({ ...starters.balanced, id: 'main', instruction: 'Help.', ...agent });
  return defineBundle({ id: 'desk', version: '1', agents: [main] });
}

// proves: visibility.switch, selection.wire
test('a bundle declares a group that is off, and the model switches it on', async () => {
  const groups = {
    screen: { description: 'The screen.', tools: [toolOf('screen.point')], active: false },
  };
  const bundle = bundleOf({ tools: [toolOf('own.one')], groups });
  const model = [
    { call: { tool: 'screen.point' } },
    { call: { tool: 'react.tools', input: { add: ['screen'] } } },
    { call: { tool: 'screen.point' } },
    { answer: 'There.' },
  ];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('Point at it');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'There.' });
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result tool_not_visible',
    'react.tool.result ok',
    'react.tool.result ok',
  ]);
  const steps: unknown[] = [];
  for await (const event of turn.events()) {
    if (event.type === 'chat.step' && event.event.step === 'tools.selected') steps.push(event.data);
  }
  expect(steps).toMatchObject([{ mode: 'add', groups: ['screen'], reason: 'react.tools' }]);
});

// proves: selection.once
test('of many tools the model of the role selection chooses the ones for a turn', async () => {
  const tools = Array.from({ length: 20 }, (_, index) => toolOf(`own.t${index}`));
  const model = [
    { role: 'selection' as const, output: ['own.t3', 'own.t17'] },
    { call: { tool: 'own.t17' } },
    { answer: 'Seventeen.' },
  ];
  await using runtime = await openRuntime({ bundle: bundleOf({ tools }), model });
  const turn = await runtime.send('Use seventeen');
  expect((await turn.done()).text).toBe('Seventeen.');
  const [, first] = runtime.model.requests;
  expect(first?.tools.filter((id) => id.startsWith('own.'))).toEqual(['own.t17', 'own.t3']);
});
