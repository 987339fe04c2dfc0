import { expect, test } from 'vitest';
import { z } from 'zod';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { pullTool } from '../../../../runtime/tools/react/workspace/pull.ts';
import { writeTool } from '../../../../runtime/tools/react/write/write.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../kit.ts';

const echo = createTool({
  id: 'mail.send',
  description: 'Sends.',
  kind: 'bundle',
  input: z.looseObject({}),
  run: async (input) => ({ result: { ok: true, ret: z.json().parse(input) } }),
});

// proves: tools.ref-binding
test('a parameter that consists of ref:<path> becomes the text at the path, at any depth', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/a.md`, '# Hi\n');
  const performed = await world.perform(echo, {
    body: `ref:fi:${turn}.outputs/a.md`,
    parts: [{ text: `ref:conv:ar:${past}.user.prompt` }, 'see ref:fi:x', 'ref: none'],
  });
  expect(ret(performed)).toEqual({
    body: '# Hi\n',
    parts: [{ text: 'hello from conv_main' }, 'see ref:fi:x', 'ref: none'],
  });
  const call = (await world.view()).openTurn?.rounds[0]?.calls[0]?.request;
  expect(JSON.stringify(call?.data)).toContain(`ref:fi:${turn}.outputs/a.md`);
});

test('an abbreviated path is completed with this turn, and a notice says so', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/a.md`, '# Hi\n');
  const performed = await world.perform(writeTool, {
    path: 'outputs/b.md',
    channel: 'canvas',
    content: 'ref:outputs/a.md',
  });
  expect(blocksOf(performed, 'canvas')).toMatchObject([{ text: '# Hi\n' }]);
  expect(blocksOf(performed, 'react.notice')).toMatchObject([
    { data: { code: 'ref_path_normalized' } },
  ]);
});

test('parameters for sources take rows of the pool as a list, and nothing else', async () => {
  const world = await openWorld();
  const row = { sid: 1, title: 'One', url: 'https://a.test/1' };
  await world.append([
    {
      turn,
      type: 'source.row',
      author: 'tool',
      path: toBlockPath('so:sources_pool[1]'),
      data: row,
    },
  ]);
  const bound = await world.perform(echo, { sources_list: 'ref:so:sources_pool[1-3]' });
  expect(ret(bound)).toEqual({ sources_list: [row] });
  const text = await world.perform(echo, { sources_list: `ref:ar:${past}.user.prompt` });
  expect(error(text)?.code).toBe('sources_list_requires_sources_pool');
});

test('a reference to a path that the model cannot see is refused, and the error says how to see it', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/p.png`, new Uint8Array([0, 1]), 'image/png');
  await world.append([
    {
      turn,
      type: 'artifact.file',
      author: 'tool',
      path: toBlockPath(`fi:${turn}.outputs/in.txt`),
      mime: 'text/plain',
      blob: await world.put('inner'),
      data: { filename: 'in.txt', size: 5, visibility: 'internal' },
    },
  ]);
  const codeOf = async (ref: string) => error(await world.perform(echo, { body: ref }))?.code;
  expect(await codeOf('ref:ar:turn_zz.user.prompt')).toBe('ref_not_visible');
  expect(await codeOf('ref:fi:turn_zz.outputs/a.md')).toBe('fi_ref_not_materialized');
  expect(await codeOf('ref:fi:conv_other.turn_a.outputs/a.md')).toBe('fi_ref_not_materialized');
  expect(await codeOf(`ref:fi:${turn}.outputs/p.png`)).toBe('renderer_content_ref_not_text');
  expect(await codeOf('ref:outputs/in.txt')).toBe('ref_internal_not_visible');
  await world.perform(readTool, { paths: [`fi:${turn}.outputs/in.txt`] });
  expect(await codeOf('ref:outputs/in.txt')).toBeUndefined();
  const path = `ar:${past}.user.prompt`;
  await world.append([
    { turn, type: 'view.hide', author: 'agent', data: { path, replacement: '', cause: 't' } },
  ]);
  expect(await codeOf(`ref:${path}`)).toBe('ref_not_visible');
});

test('references are not resolved in paths of control tools or in data of programs', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.outputs/a.md`, 'x');
  const pulled = await world.perform(pullTool, { paths: [`ref:fi:${past}.outputs/a.md`] });
  expect(error(pulled)?.message).toContain('ref:fi:');
  const body = `ref:ar:${past}.user.prompt`;
  expect(ret(await world.perform(echo, { body }, { literal: true }))).toEqual({ body });
});
