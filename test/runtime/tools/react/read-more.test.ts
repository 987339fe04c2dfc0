import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import type { CompletedCall } from '../../../../runtime/tools/calls/run-call.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { blocksOf, openWorld, past, ret, turn, type World } from '../kit.ts';

function retOf(performed: CompletedCall): JsonObject {
  const value = ret(performed);
  return isJsonObject(value) ? value : {};
}

/** The header of a PNG, which is all that is checked here. */
function png(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

function pdf(pages: number): Uint8Array {
  const objects = Array.from({ length: pages }, () => '<< /Type /Page >>').join('\n');
  return new TextEncoder().encode(`%PDF-1.7\n<< /Type /Pages >>\n${objects}`);
}

async function closeRound(world: World) {
  const data = { round: 1, outcome: 'acted' };
  await world.append([{ turn, type: 'round.close', author: 'system', data }]);
  return render(await world.view(), { asOf: toSeq(1_000), announce: '' });
}

// proves: tools.read-attaches
test('images and PDFs that are read are attached after the result, with their token counts', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/a.png`, png(600, 500), 'image/png');
  await world.file(`fi:${turn}.outputs/b.pdf`, pdf(2), 'application/pdf');
  const performed = await world.perform(readTool, {
    paths: [`fi:${turn}.outputs/a.png`, `fi:${turn}.outputs/b.pdf`],
  });
  expect(retOf(performed)['paths']).toMatchObject([
    { status: 'attached', tokens: 400 },
    { status: 'attached', tokens: 8_200 },
  ]);
  const { parts, tokens } = await closeRound(world);
  expect(parts.filter(({ kind }) => kind === 'blob')).toMatchObject([
    { mime: 'image/png', path: toBlockPath(`fi:${turn}.outputs/a.png`) },
    { mime: 'application/pdf', path: toBlockPath(`fi:${turn}.outputs/b.pdf`) },
  ]);
  expect(tokens).toBeGreaterThan(8_600);
  const again = await world.perform(readTool, { paths: [`fi:${turn}.outputs/a.png`] });
  expect(retOf(again)['exists_in_visible_context']).toEqual([`fi:${turn}.outputs/a.png`]);
});

// proves: tools.read-changed-image
test('an image that changed since it was read is attached again; an unchanged one is not', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/chart.png`;
  await world.file(path, png(600, 500), 'image/png');
  const read = async () => {
    const { paths } = retOf(await world.perform(readTool, { paths: [path] }));
    return Array.isArray(paths) && isJsonObject(paths[0]) ? paths[0]['status'] : undefined;
  };
  expect(await read()).toBe('attached');
  expect(await read()).toBe('exists_in_visible_context');
  await world.file(path, png(600, 400), 'image/png');
  expect(await read()).toBe('attached');
});

test('a file that cannot be attached whole is listed with its size, and no part of it is shown', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/fake.png`, new Uint8Array(100), 'image/png');
  await world.file(`fi:${turn}.outputs/wide.png`, png(9_000, 10), 'image/png');
  await world.file(`fi:${turn}.outputs/long.pdf`, pdf(60), 'application/pdf');
  const heavy = new Uint8Array(800_000);
  heavy.set(png(10, 10));
  await world.file(`fi:${turn}.outputs/heavy.png`, heavy, 'image/png');
  const names = ['fake.png', 'wide.png', 'long.pdf', 'heavy.png'];
  const performed = await world.perform(readTool, {
    paths: names.map((name) => `fi:${turn}.outputs/${name}`),
  });
  expect(retOf(performed)['large_paths']).toHaveLength(4);
  expect(performed.preview).toContain('more than 8000 pixels a side');
  const { parts } = await closeRound(world);
  expect(parts.some(({ kind }) => kind === 'blob')).toBe(false);
});

// proves: tools.read
test('missing paths give a notice, and a path that fails does not affect the others', async () => {
  const refusing = async () => Promise.reject(new Refusal('too_large', 'more than it may hold'));
  const world = await openWorld({ resolvers: { skill: refusing } });
  await world.file(`fi:${turn}.outputs/a.txt`, 'one\n');
  const performed = await world.perform(readTool, {
    paths: ['sk:b.big', 'ks:none', 'conv:tc:turn_zz.tc_1.result', `fi:${turn}.outputs/a.txt`],
  });
  expect(retOf(performed)).toMatchObject({
    paths: [{ status: 'unreadable', code: 'too_large' }, { status: 'loaded' }],
    missing: ['ks:none', 'conv:tc:turn_zz.tc_1.result'],
  });
  expect(blocksOf(performed, 'react.notice')).toMatchObject([
    { data: { code: 'read_paths_missing' } },
  ]);
});

// proves: sources.skills
test('the sources of a skill join the pool when it is read, and its citations are renumbered', async () => {
  const rows = [
    { url: 'https://a.test/known', title: 'Known' },
    { url: 'https://a.test/new', title: 'New', sid: 7 },
  ];
  const text = 'First [[S:1]], then [[S:7]], and `[[S:1]]` is code.';
  const skill = async () => ({
    path: toBlockPath('sk:b.how'),
    mime: 'text/markdown',
    text,
    sources: rows,
  });
  const world = await openWorld({ resolvers: { skill } });
  await world.append([
    {
      turn,
      type: 'source.row',
      author: 'tool',
      path: toBlockPath('so:sources_pool[4]'),
      data: { sid: 4, title: 'Known', url: 'https://a.test/known' },
    },
  ]);
  const performed = await world.perform(readTool, { paths: ['sk:b.how'] });
  expect(performed.preview).toContain('First [[S:4]], then [[S:5]], and `[[S:1]]` is code.');
  expect((await world.view()).sources.map(({ sid }) => sid)).toEqual([4, 5]);
  const again = await world.perform(readTool, { paths: ['sk:b.how'] });
  expect(retOf(again)['exists_in_visible_context']).toEqual(['sk:b.how']);
  expect((await world.view()).sources).toHaveLength(2);
});

test('a selection of sources returns the existing rows and lists the missing ones', async () => {
  const world = await openWorld();
  await world.append([
    {
      turn,
      type: 'source.row',
      author: 'tool',
      path: toBlockPath('so:sources_pool[2]'),
      data: { sid: 2, title: 'Two', url: 'https://a.test/2', text: 'whole text' },
    },
  ]);
  const performed = await world.perform(readTool, { paths: ['so:sources_pool[3-1]'] });
  expect(performed.preview).toContain('whole text');
  expect(retOf(performed)['missing']).toEqual(['so:sources_pool[1,3]']);
});

test('a text that is whole in the prompt is not shown again, whichever turn it belongs to', async () => {
  const world = await openWorld();
  const path = `ar:${past}.user.prompt`;
  const performed = await world.perform(readTool, { paths: [path] });
  expect(retOf(performed)).toMatchObject({ exists_in_visible_context: [path] });
  await world.append([
    { turn, type: 'view.hide', author: 'agent', data: { path, replacement: 'x', cause: 'test' } },
  ]);
  const hidden = await world.perform(readTool, { paths: [path] });
  expect(hidden.preview).toContain('hello from conv_main');
});

test('a part that begins past the end is marked, and so is a clipped line', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/a.txt`;
  await world.file(path, `one\n${'x'.repeat(60_000)}\n`);
  const late = await world.perform(readTool, { items: [{ path, line_start: 9 }] });
  expect(late.preview).toContain('past the end of 2');
  const long = await world.perform(readTool, { items: [{ path, line_start: 2 }] });
  expect(long.preview).toContain('inside a line');
  const few = await world.perform(readTool, {
    items: [{ path, line_numbers: 'disabled' }],
    max_text_symbols: 3,
  });
  expect(few.preview).toMatch(/\none\n$/);
});
