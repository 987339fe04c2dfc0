import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolContext } from '../../../../runtime/sdk/index.ts';
import { error, openWorld, past, ret } from '../../tools/kit.ts';
import { compiledTool } from '../kit.ts';

type Asked = Parameters<ToolContext['memory']['search']>[0];

/** One search of a bundle's tool, in a turn after another one, beside a second conversation of the user. */
async function search(asked: Asked) {
  const world = await openWorld();
  await world.openConversation('conv_mine', 'ann');
  await world.openConversation('conv_his', 'bob');
  const tool = defineTool({
    id: 'test.work',
    description: 'Works.',
    input: z.object({}),
    run: (_, ctx) => ctx.memory.search(asked),
  });
  return await world.perform(await compiledTool(tool), {});
}

async function found(asked: Asked) {
  const hits = z.array(z.object({ path: z.string(), text: z.string(), score: z.number() }));
  return hits.parse(ret(await search(asked))).map(({ path }) => path);
}

const here = `ar:${past}.user.prompt`;
const there = `ar:conv_mine.${past}.user.prompt`;

// proves: memory.modes
test("a bundle searches only the user's own memory and gets readable paths", async () => {
  expect((await found({ query: 'hello' })).sort()).toEqual([there, here].sort());
  expect(await found({ query: 'conv_mine' })).toContain(there);
  expect(await found({ query: 'zeppelin' })).toEqual([]);
  expect(await found({ query: 'hello', targets: ['notes'] })).toEqual([]);
});

test('memory search without a query lists turns, also by position and time', async () => {
  expect(await found({})).toHaveLength(2);
  expect(await found({ mode: 'timeline', limit: 1 })).toHaveLength(1);
  expect(await found({ mode: 'ordinal', ordinal: 9 })).toEqual([]);
  expect(await found({ mode: 'ordinal' })).toHaveLength(1);
  expect(await found({ mode: 'temporal', from: 'yesterday' })).toHaveLength(2);
  expect(await found({ mode: 'temporal', to: 'yesterday' })).toEqual([]);
  expect(error(await search({ from: 'someday' }))?.code).toBe('invalid_input');
});
