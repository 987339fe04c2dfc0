import { expect, test } from 'vitest';
import { memsearchTool } from '../../../../runtime/tools/react/memsearch.ts';
import { openWorld, past, ret } from '../kit.ts';

test('words lead to turns, with the paths to read', async () => {
  const world = await openWorld();
  const performed = await world.perform(memsearchTool, { query: 'hello' });
  expect(ret(performed)).toMatchObject({
    mode: 'search',
    hits: [
      {
        turn: past,
        index: `ar:${past}.react.turn.index`,
        snippets: [{ role: 'user', path: `ar:${past}.user.prompt` }],
      },
    ],
  });
});

test('without words it is an overview, and nothing found is no mistake', async () => {
  const world = await openWorld();
  expect(ret(await world.perform(memsearchTool, {}))).toMatchObject({
    mode: 'overview',
    hits: [{ turn: past }],
  });
  const none = await world.perform(memsearchTool, { query: 'zeppelin' });
  expect(ret(none)).toMatchObject({ hits: [] });
  expect(none.preview).toContain('Nothing found');
});

// proves: tools.memsearch
test('other conversations of the user are found on request, under paths that lead there', async () => {
  const world = await openWorld();
  await world.openConversation('conv_mine', 'ann');
  await world.openConversation('conv_his', 'bob');
  const here = await world.perform(memsearchTool, { query: 'conv_mine' });
  expect(here.preview).not.toContain('conv_mine.');
  const everywhere = await world.perform(memsearchTool, { query: 'hello', scope: 'user' });
  expect(everywhere.preview).toContain(`ar:conv_mine.${past}.user.prompt`);
  expect(everywhere.preview).not.toContain('conv_his');
});
