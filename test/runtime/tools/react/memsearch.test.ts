import { expect, test } from 'vitest';
import type { Json } from '../../../../runtime/base/json.ts';
import { type TurnId, toSeq } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { memsearchTool } from '../../../../runtime/tools/react/memsearch/memsearch.ts';
import {
  fromSnippets,
  fromTurns,
  hitsText,
} from '../../../../runtime/tools/react/memsearch/memsearch-hits.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { error, openWorld, past, ret, turn, type World } from '../kit.ts';

type Answer = {
  mode: string;
  hits: {
    turn: TurnId;
    turn_index_path: string;
    ordinal: number;
    total_turns: number;
    snippets: { path: string }[];
  }[];
  total_turns?: number;
  warnings?: string[];
};

async function ask(world: World, input: Record<string, Json>): Promise<Answer> {
  return ret(await world.perform(memsearchTool, input)) as unknown as Answer;
}

test('a query finds turns, with paths to read', async () => {
  const world = await openWorld();
  expect(await ask(world, { query: 'hello' })).toMatchObject({
    mode: 'hybrid',
    hits: [
      {
        turn: past,
        turn_index_path: `ar:${past}.react.turn.index`,
        ordinal: 1,
        total_turns: 2,
        snippets: [{ role: 'user', path: toBlockPath(`ar:${past}.user.prompt`) }],
      },
    ],
  });
});

// proves: memory.overview
test('without parameters it lists the turns before this one, and finding nothing is not an error', async () => {
  const world = await openWorld();
  const overview = await ask(world, {});
  expect(overview).toMatchObject({ mode: 'timeline', total_turns: 1, hits: [{ turn: past }] });
  const none = await world.perform(memsearchTool, { query: 'zeppelin' });
  expect(ret(none)).toMatchObject({ hits: [] });
  expect(none.preview).toBe('Nothing found. Try other words, more targets or scope user.');
  const targets = ['assistant', 'user', 'attachment', 'summary', 'notes'];
  const all = await world.perform(memsearchTool, { query: 'zeppelin', scope: 'user', targets });
  expect(all.preview).toBe('Nothing found. Try other words.');
});

// proves: tools.memsearch
test('a time stands beside what was said then, and in the heading of a turn only if it is that of the turn', async () => {
  const world = await openWorld();
  const context = await world.contextOf(memsearchTool, {});
  const place = { conversation: 'conv_main', turn: past, ordinal: 1, turns: 2 };
  const said = (text: string, at: string) => ({
    ...{ path: `ar:${past}.react.note.1`, target: 'notes' as const, text, at },
  });
  const [early, late] = [
    said('first', '2026-01-01T09:00:00.000Z'),
    said('last', '2026-01-01T23:30:00.000Z'),
  ] as const;
  const found = { ...place, seq: toSeq(1), score: 1, recovery: false };
  const asked = { warnings: [], total: undefined, untried: [] };
  const query = { mode: 'hybrid' as const, text: 'x', range: { targets: [], except: turn } };
  const all = { ...asked, ...query, order: 'desc' as const, ordinal: 1 };
  const hits = fromSnippets(
    [late, early].map((each) => ({ ...found, ...each })),
    context,
  );
  expect(hitsText(hits, all)).toBe(
    `ar:t1.react.turn.index · turn 1 of 2
- notes · ar:t1.react.note.1 · 2026-01-01T23:30Z
  last
- notes · ar:t1.react.note.1 · 2026-01-01T09:00Z
  first`,
  );
  const row = { ...place, at: '2026-01-01T08:59:00.000Z', recovery: false, snippets: [early] };
  expect(hitsText(fromTurns([row], context), all)).toBe(
    `ar:t1.react.turn.index · turn 1 of 2 · 2026-01-01T08:59Z
- notes · ar:t1.react.note.1
  first`,
  );
});

// proves: tools.memsearch
test('other conversations of the user are searched on request, and their paths include the conversation', async () => {
  const world = await openWorld();
  await world.openConversation('conv_mine', 'ann');
  await world.openConversation('conv_his', 'bob');
  const here = await world.perform(memsearchTool, { query: 'conv_mine' });
  expect(here.preview).not.toContain('conv_mine.');
  const everywhere = await world.perform(memsearchTool, { query: 'hello', scope: 'user' });
  expect(everywhere.preview).toContain('ar:conv_mine.t1.user.prompt');
  expect(everywhere.preview).not.toContain('conv_his');
});

// proves: memory.recovery
test('every path of a hit can be read: the prompt, the index, and those of another conversation', async () => {
  const world = await openWorld();
  await world.openConversation('conv_mine', 'ann');
  const { hits } = await ask(world, { query: 'hello', scope: 'user' });
  const named = hits.flatMap((hit) => [
    hit.turn_index_path,
    ...hit.snippets.map(({ path }) => path),
  ]);
  expect(named).toHaveLength(4);
  const read = await world.perform(readTool, { paths: named });
  expect(ret(read)).toMatchObject({ missing: [] });
  const foreign = await world.perform(readTool, {
    paths: [`ar:conv_nobody.${past}.react.turn.index`],
  });
  expect(JSON.stringify(foreign.result)).toContain('conv_nobody');
  expect(foreign.preview).not.toContain('TURN INDEX');
});

// proves: memory.modes
test('turns are found by position and by time, depending on the given fields', async () => {
  const world = await openWorld();
  expect(await ask(world, { ordinal: 1 })).toMatchObject({
    mode: 'ordinal',
    hits: [{ turn: past }],
  });
  expect(await ask(world, { ordinal: -1 })).toMatchObject({
    mode: 'ordinal',
    hits: [{ turn: past }],
  });
  expect(await ask(world, { ordinal: 7 })).toMatchObject({
    mode: 'ordinal',
    hits: [],
    total_turns: 1,
  });
  expect(await ask(world, { from: 'yesterday' })).toMatchObject({
    mode: 'temporal',
    hits: [{ turn: past }],
  });
  expect(await ask(world, { to: 'yesterday' })).toMatchObject({ mode: 'temporal', hits: [] });
  expect(await ask(world, { query: 'hello', to: 'last week' })).toMatchObject({
    mode: 'hybrid',
    hits: [],
  });
  const scoped = await ask(world, { mode: 'timeline', scope: 'agent' });
  expect(scoped.hits).toEqual([]);
});

test('contradictions are resolved and reported; only an invalid time is refused', async () => {
  const world = await openWorld();
  const both = await ask(world, { query: 'x', ordinal: 1 });
  expect(both).toMatchObject({
    mode: 'ordinal',
    warnings: ['The query is not used with ordinal.'],
  });
  const turned = await ask(world, { from: '2026-02-01', to: '2025-02-01' });
  expect(turned).toMatchObject({ mode: 'temporal', hits: [{ turn: past }] });
  expect(turned.warnings?.[0]).toContain('other way round');
  const long = await ask(world, { query: 'hello '.repeat(100) });
  expect(long.warnings?.[0]).toContain('256');
  expect(await ask(world, { mode: 'semantic' })).toMatchObject({ mode: 'timeline' });
  const bad = await world.perform(memsearchTool, { from: 'some day' });
  expect(error(bad)).toMatchObject({ code: 'invalid_input' });
  expect(error(bad)?.message).toContain('yesterday');
});

test('the searching turn is not a hit, notes are searched only on request, and equal texts are shown once', async () => {
  const world = await openWorld();
  const said = (type: string, path: string, owner = past) => ({
    turn: owner,
    type,
    author: 'agent' as const,
    path: toBlockPath(path),
    text: 'hello again',
  });
  await world.append([
    said('assistant.completion', `ar:${past}.assistant.completion.1`),
    said('assistant.completion', `ar:${past}.assistant.completion.2`),
    said('react.note', `ar:${past}.react.note.1`),
    said('user.prompt', `ar:${turn}.user.prompt`, turn),
  ]);
  const { hits } = await ask(world, { query: 'hello again' });
  expect(hits.map((hit) => hit.turn)).toEqual([past]);
  expect(hits[0]?.snippets).toHaveLength(2);
  const notes = await ask(world, { query: 'hello again', targets: ['notes'] });
  expect(notes.hits[0]?.snippets).toMatchObject([{ path: toBlockPath(`ar:${past}.react.note.1`) }]);
});

test('at most two turns of one conversation come before those of others', async () => {
  const world = await openWorld();
  for (const id of ['conv_a', 'conv_b', 'conv_c']) await world.openConversation(id, 'ann');
  const { hits } = await ask(world, { query: 'hello', scope: 'user', top_k: 4 });
  expect(new Set(hits.map((hit) => hit.turn.split('.')[0])).size).toBe(4);
});
