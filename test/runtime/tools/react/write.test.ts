import { expect, test } from 'vitest';
import { toStreamName } from '../../../../runtime/timeline/ids.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { patchTool } from '../../../../runtime/tools/react/write/patch.ts';
import { writeTool } from '../../../../runtime/tools/react/write/write.ts';
import { blocksOf, error, openWorld, past, ret, turn, type World } from '../kit.ts';

async function textAt(world: World, path: string): Promise<string> {
  const { services } = await world.contextOf(readTool, {});
  const resolved = await services.read(path);
  return resolved ? new TextDecoder().decode(await services.bytes(resolved)) : '';
}

test('a display text becomes a file and a canvas, which is streamed unless it was already', async () => {
  const world = await openWorld();
  const performed = await world.perform(writeTool, {
    path: 'report.md',
    channel: 'canvas',
    content: '# Hi',
    kind: 'display',
  });
  expect(ret(performed)).toMatchObject({
    path: `fi:${turn}.outputs/report.md`,
    mime: 'text/markdown',
    visibility: 'external',
    shown: true,
  });
  expect(blocksOf(performed, 'canvas')).toMatchObject([
    { path: `ar:${turn}.canvas.report.md`, text: '# Hi', mime: 'text/markdown' },
  ]);
  expect(world.live.some((piece) => piece.kind === 'delta' && piece.text === '# Hi')).toBe(true);
  expect(await textAt(world, `fi:${turn}.outputs/report.md`)).toBe('# Hi');
});

test('the same text written again is reported as unchanged', async () => {
  const world = await openWorld();
  const text = { path: 'report.md', content: '# Hi' };
  await world.perform(writeTool, text);
  const again = await world.perform(writeTool, text);
  expect(again.preview).toMatch(/· unchanged: the file already held exactly this$/);
  const other = await world.perform(writeTool, { ...text, content: '# Ho' });
  expect(other.preview).not.toContain('unchanged');
});

test('a text that was streamed while it was written becomes the block that replaces its stream', async () => {
  const world = await openWorld();
  const performed = await world.perform(
    writeTool,
    { path: 'report.md', content: '# Hi' },
    { stream: toStreamName('st_1') },
  );
  expect(blocksOf(performed, 'canvas')).toMatchObject([
    { author: 'agent', text: '# Hi', data: { stream: 'st_1' } },
  ]);
  expect(world.live).toEqual([]);
});

test('internal is for the agent, a file is not a canvas, timeline text is a message, a scratchpad is a note', async () => {
  const world = await openWorld();
  const internal = await world.perform(writeTool, {
    path: 'outputs/i.txt',
    channel: 'internal',
    content: 'x',
  });
  expect(ret(internal)).toMatchObject({ visibility: 'internal', shown: false });
  const file = await world.perform(writeTool, { path: 'files/f.py', content: 'x', kind: 'file' });
  expect([ret(file), blocksOf(file, 'canvas')]).toMatchObject([
    { shown: false, path: `fi:${turn}.files/f.py` },
    [],
  ]);
  const said = await world.perform(writeTool, {
    path: 'n.md',
    channel: 'timeline_text',
    content: 'look',
  });
  expect(blocksOf(said, 'timeline_text')).toMatchObject([{ text: 'look' }]);
  const noted = await world.perform(writeTool, {
    path: 'n',
    channel: 'internal',
    content: 'remember',
    scratchpad: true,
  });
  expect(noted.blocks.map(({ type }) => type)).toEqual(['react.note', 'react.tool.result']);
});

test('a path outside the turn gives an error that the model can act on', async () => {
  const world = await openWorld();
  const codes = [
    ['/etc/x', 'unsafe_path'],
    ['../x', 'unsafe_path'],
    ['outputs/a\\b', 'unsafe_path'],
    ['attachments/x', 'invalid_write_logical_path'],
    [`fi:${past}.outputs/x`, 'invalid_write_logical_path'],
    ['tc:a.b', 'invalid_write_logical_path'],
    ['', 'missing_artifact_name'],
    ['outputs/', 'missing_artifact_name'],
  ] as const;
  for (const [path, code] of codes) {
    expect(error(await world.perform(writeTool, { path, content: '' }))?.code).toBe(code);
  }
  expect(error(await world.perform(writeTool, { path: 'x.md' }))?.code).toBe('invalid_input');
});

// proves: tools.write-patch
test('a diff changes the file, and the next diff applies to the changed file', async () => {
  const world = await openWorld();
  await world.perform(writeTool, { path: 'a.md', content: 'one\ntwo\nthree\n' });
  await world.perform(patchTool, {
    path: 'a.md',
    patch: '@@ -1,9 +1,9 @@\n one\n-two\n+zwei\n three\n',
  });
  const performed = await world.perform(patchTool, {
    path: `fi:${turn}.outputs/a.md`,
    patch: '--- a\n+++ b\n@@ -2 +2 @@\n-zwei\n+dos\n',
  });
  expect(performed.preview).toContain('1 hunk applied');
  expect(await textAt(world, `fi:${turn}.outputs/a.md`)).toBe('one\ndos\nthree\n');
});

test('a patch that does not begin like a diff replaces the whole text', async () => {
  const world = await openWorld();
  await world.perform(writeTool, { path: 'a.md', content: 'one\n' });
  await world.perform(patchTool, { path: 'a.md', patch: 'all new\n' });
  expect(await textAt(world, `fi:${turn}.outputs/a.md`)).toBe('all new\n');
});

test('a patch that cannot be applied says why and where to look', async () => {
  const world = await openWorld();
  expect(
    error(await world.perform(patchTool, { path: 'none.md', patch: '@@ -1 +1 @@\n-a\n+b\n' }))
      ?.code,
  ).toBe('patch_target_missing');
  await world.perform(writeTool, { path: 'a.md', content: 'one\ntwo\n' });
  const off = await world.perform(patchTool, {
    path: 'a.md',
    patch: '@@ -1 +1 @@\n two\n-three\n+drei\n',
  });
  expect(off.result).toMatchObject({
    ok: false,
    error: { code: 'hunk_mismatch' },
    ret: { suggested_read: { path: `fi:${turn}.outputs/a.md`, line_start: 1 } },
  });
  const numbered = await world.perform(patchTool, {
    path: 'a.md',
    patch: '@@ -1 +1 @@\n-     1\tone\n+     1\tuno\n',
  });
  expect(error(numbered)?.code).toBe('patch_contains_preview_line_numbers');
  await world.file(`fi:${turn}.outputs/p.png`, new Uint8Array([1, 0, 255]), 'image/png');
  expect(error(await world.perform(patchTool, { path: 'p.png', patch: 'x' }))?.code).toBe(
    'patch_not_text',
  );
  expect(await textAt(world, `fi:${turn}.outputs/a.md`)).toBe('one\ntwo\n');
});
