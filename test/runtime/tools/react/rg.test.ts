import { expect, test } from 'vitest';
import { rgPlacesMax } from '../../../../runtime/tools/react/limits.ts';
import { rgTool } from '../../../../runtime/tools/react/rg.ts';
import { openWorld, past, ret, turn } from '../kit.ts';

/** a and b without any order, in one line. */
function noise(chars: number): string {
  let state = 12_345;
  return Array.from({ length: chars }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 16) & 1 ? 'a' : 'b';
  }).join('');
}

// proves: tools.rg-linear
test('a costly pattern is tried on the beginning of an endless line, and that is said', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/long.txt`, `${noise(200_000)}\nshort aab\n`);
  const started = process.cpuUsage().user;
  const costly = await world.perform(rgTool, { pattern: '(a[ab]{100}){3}[cd]' });
  expect(process.cpuUsage().user - started).toBeLessThan(1_500_000);
  expect(ret(costly)).toMatchObject({ matches: 0, long_lines: [`fi:${turn}.outputs/long.txt`] });
  expect(costly.preview).toContain(
    `lines too long to be searched to their end: fi:${turn}.outputs/long.txt`,
  );
  const cheap = await world.perform(rgTool, { pattern: 'aab$' });
  expect(ret(cheap)).toMatchObject({ matches: 1, hits: [{ matches: [{ line: 2 }] }] });
  expect(ret(cheap)).not.toHaveProperty('long_lines');
});

test('a match far in a line is shown with what stands around it', async () => {
  const world = await openWorld();
  await world.file(
    `fi:${turn}.outputs/one.txt`,
    `${'hay '.repeat(2_000)}needle${' hay'.repeat(500)}`,
  );
  const found = await world.perform(rgTool, { pattern: 'needle' });
  const { hits = [] } = ret(found) as { hits?: { matches: { preview: string }[] }[] };
  expect(hits[0]?.matches[0]?.preview).toMatch(/^… .*needle/);
});

// proves: tools.rg
test('max_files counts files with matches; everything else there is searched', async () => {
  const world = await openWorld();
  for (const n of [1, 2, 3, 4]) {
    await world.file(`fi:${turn}.outputs/f${n}.txt`, n % 2 === 0 ? 'needle' : 'hay');
  }
  const one = await world.perform(rgTool, { pattern: 'needle', max_files: 1 });
  expect(ret(one)).toMatchObject({ matches: 1, full: true, files_left: 2 });
  expect(one.preview).toContain('stopped at max_files');
  const two = await world.perform(rgTool, { pattern: 'needle', max_files: 2 });
  expect(ret(two)).toMatchObject({ matches: 2, files_left: 0 });
  expect(ret(await world.perform(rgTool, { max_files: 3 }))).toMatchObject({ files_left: 1 });
});

test('of a long timeline the newest is searched first, and what is left out is counted', async () => {
  const world = await openWorld();
  const notes = Array.from({ length: rgPlacesMax + 50 }, (_, n) => ({
    turn,
    type: 'react.note',
    author: 'agent' as const,
    path: `ar:${turn}.react.note.${n + 1}`,
    text: n === 0 ? 'the oldest needle' : n === rgPlacesMax + 49 ? 'the newest needle' : 'hay',
    data: {},
  }));
  await world.append(notes);
  const found = await world.perform(rgTool, { pattern: 'needle', root: 'timeline' });
  expect(ret(found)).toMatchObject({
    matches: 1,
    hits: [{ path: `ar:${turn}.react.note.${rgPlacesMax + 50}` }],
  });
  const { files_left } = ret(found) as { files_left: number };
  expect(files_left).toBeGreaterThanOrEqual(50);
  const named = await world.perform(rgTool, {
    pattern: 'needle|hello',
    name_regex: 'note\\.1$|prompt',
    root: 'timeline',
  });
  expect(ret(named)).toMatchObject({
    matches: 2,
    hits: [{ path: `ar:${turn}.react.note.1` }, { path: `ar:${past}.user.prompt` }],
  });
});
