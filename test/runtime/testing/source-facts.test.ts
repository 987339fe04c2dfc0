import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

const facts = {
  ...{ type: 'web' as const, author: 'Ada Reef', site: 'Sea Notes', published: '2026-03-04' },
  ...{ relevance: 0.8, favicon: 'https://sea.example/icon.svg' },
};
const url = 'https://sea.example/tides';
const find = defineTool({
  id: 'desk.find',
  description: 'Finds sources.',
  input: z.object({}),
  run: async (_, ctx) => {
    await ctx.sources.add([{ url, title: 'Tides', ...facts }]);
    // The same address again, with less: what is known stays.
    await ctx.sources.add([{ url: `${url}#moon`, title: 'Tides', text: 'The moon pulls.' }]);
    const file = await ctx.files.write('outputs/table.csv', 'a,b');
    await ctx.sources.add([{ url: file.path, title: 'Table', type: 'file', mime: file.mime }]);
    const odd = { relevance: 7, favicon: 'javascript:alert(1)' };
    await ctx.sources.add([{ url: 'https://odd.example', title: 'Odd', ...odd }]);
    return 'found';
  },
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [find] });
const bundle = defineBundle({ id: 'desk', version: '1.0.0', agents: [main] });

// proves: sources.facts
test('what is known of a source is kept in the pool and sent with its citation', async () => {
  const model = [
    { call: { tool: 'desk.find', input: {} } },
    { answer: 'The moon [[S:1]], in numbers [[S:2]].' },
  ];
  await using runtime = await openRuntime({ bundle, model });
  const turn = await runtime.send('Why tides?');
  const found: object[] = [];
  const shown: string[] = [];
  for await (const event of turn.events()) {
    if (event.type === 'chat.citations') found.push(...event.data.items);
    if (event.type === 'chat.delta' && event.delta.marker === 'answer')
      shown.push(event.delta.text);
  }
  const { sources } = await turn.done();
  const whole = { sid: 1, title: 'Tides', text: 'The moon pulls.', ...facts };
  expect(found).toContainEqual(expect.objectContaining(whole));
  expect(found).toContainEqual({ sid: 3, title: 'Odd', url: 'https://odd.example' });
  expect(sources).toMatchObject([
    { sid: 1, ...facts },
    { sid: 2, type: 'file', mime: 'text/csv' },
  ]);
  // A file is a source like any other: its citation leads to it.
  expect(shown.join('')).toMatch(/\[Table\]\(fi:\S*outputs\/table\.csv\)/);
});
