import { expect, test } from 'vitest';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { memsearchTool } from '../../../../runtime/tools/react/memsearch/memsearch.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { checkoutTool } from '../../../../runtime/tools/react/workspace/checkout.ts';
import { pullTool } from '../../../../runtime/tools/react/workspace/pull.ts';
import { error, openWorld, past, ret, turn } from '../kit.ts';

test('a folder of another conversation of the user can be pulled and checked out; a folder of this conversation also by its short name', async () => {
  const world = await openWorld();
  const other = await world.openConversation('conv_other', 'ann');
  const foreign = await world.openConversation('conv_foreign', 'bob');
  for (const place of [other, foreign]) {
    const blob = await world.put('theirs');
    const data = { filename: 'b c.py', size: blob.size, visibility: 'external' };
    const path = `fi:${past}.files/src/b c.py`;
    const file = { turn: past, type: 'artifact.file', author: 'tool' as const };
    await world.append(
      [{ ...file, path: toBlockPath(path), mime: 'text/x-python', blob, data }],
      place,
    );
  }
  await world.file(`fi:${past}.outputs/a.csv`, 'a');
  const asked = [`fi:conv_other.${past}.files/`, ` fi:conv_main.${past}.outputs/ `];
  const pulled = await world.perform(pullTool, { paths: asked });
  expect(ret(pulled)).toMatchObject({
    pulled: [
      { path: `fi:conv_other.${past}.files/src/b c.py` },
      { path: `fi:${past}.outputs/a.csv` },
    ],
    missing: [],
    invalid: [],
  });
  const copied = await world.perform(checkoutTool, { paths: asked });
  expect(ret(copied)).toMatchObject({
    checked_out: [{ to: `fi:${turn}.files/src/b c.py` }, { to: `fi:${turn}.outputs/a.csv` }],
  });
  const theirs = await world.perform(pullTool, { paths: [`fi:conv_foreign.${past}.files/`] });
  expect(error(theirs)?.message).toContain(`nothing is at fi:conv_foreign.${past}.files/`);
});

test('sources of a selection beyond its limit are reported as left out', async () => {
  const world = await openWorld();
  const rows = Array.from({ length: 230 }, (_, index) => ({
    turn,
    type: 'source.row',
    author: 'tool' as const,
    path: paths.source(index + 1),
    data: { sid: index + 1, title: `T${index + 1}`, url: `https://t.example/${index + 1}` },
  }));
  await world.append(rows);
  const read = await world.perform(readTool, { paths: ['so:sources_pool[230-1]'] });
  expect(read.preview).toContain('[200] T200');
  expect(read.preview).not.toContain('[201] T201');
  expect(read.preview).toMatch(/only the first 200 .*: read the rest with another/);
  const few = await world.perform(readTool, { paths: ['so:sources_pool[1-200]'] });
  expect(few.preview).not.toContain('only the first');
});

test('an ordinal beyond the last turn reports the number of turns', async () => {
  const world = await openWorld();
  const found = await world.perform(memsearchTool, { ordinal: 9 });
  expect(ret(found)).toMatchObject({ hits: [], total_turns: 1 });
  expect(found.preview).toContain('Turn 9 does not exist; 1 turn comes before this one');
});

test('rank weights outside 0 to 2 are clamped', async () => {
  const world = await openWorld();
  const rank_weights = { semantic: -1, lexical: 5, recency: 1 };
  const found = await world.perform(memsearchTool, { query: 'hello', rank_weights });
  expect(error(found)).toBeUndefined();
  expect(ret(found)).toMatchObject({ mode: 'hybrid', hits: [{ ordinal: 1 }] });
});
