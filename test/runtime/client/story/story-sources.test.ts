import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';

const url = 'https://example.org/tides';
const look = defineTool({
  id: 'desk.look',
  description: 'Looks a page up.',
  input: z.object({ text: z.string() }),
  run: async ({ text }, ctx) => {
    await ctx.sources.add([
      { url, title: 'Tides', text },
      { url: `${url}/${text}`, title: text },
    ]);
    return text;
  },
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [look] });
const bundle = defineBundle({ id: 'desk', version: '1', agents: [main] });
const read = (text: string) => ({ call: { tool: 'desk.look', input: { text } } });

// proves: client.story
test('the sources of a turn are listed once each, in their order, with what was read last', async () => {
  const model = [read('one'), read('two'), { answer: 'The moon [[S:1]].' }];
  await using runtime = await openRuntime({ bundle, model });
  const conversation = runtime.connect().conversation();
  await (await conversation.send('Why tides?')).done();
  await expect.poll(() => conversation.state.turns[0]?.end?.reason).toBe('completed');
  expect(conversation.state.turns[0]?.sources).toMatchObject([
    { sid: 1, title: 'Tides', text: 'two' },
    { sid: 2, title: 'one' },
    { sid: 3, title: 'two' },
  ]);
});
