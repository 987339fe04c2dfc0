import { expect, test } from 'vitest';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { rgPlacesMax } from '../../../../runtime/tools/react/rg/limits.ts';
import { rgTool } from '../../../../runtime/tools/react/rg/rg.ts';
import { search } from '../../../../runtime/tools/react/rg/rg-search.ts';
import { toRegex } from '../../../../runtime/tools/text/regex.ts';
import { openWorld, past, ret, turn } from '../kit.ts';

// proves: tools.rg-linear
test('a costly pattern searches only the beginning of a very long line, and the result says so', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/long.txt`;
  await world.file(path, `${'ab'.repeat(20_000)}\nshort aab\n`);
  const costly = await world.perform(rgTool, { pattern: '(a[ab]{100}){3}[cd]' });
  expect(ret(costly)).toMatchObject({ matches: 0, long_lines: [path] });
  expect(costly.preview).toContain(
    `lines too long to be searched to their end: fi:t2.outputs/long.txt`,
  );
  const cheap = await world.perform(rgTool, { pattern: 'aab$' });
  expect(ret(cheap)).toMatchObject({ matches: 1, hits: [{ matches: [{ line: 2 }] }] });
  expect(ret(cheap)).not.toHaveProperty('long_lines');
});

test('a match deep in a long line is shown with the text around it', async () => {
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
  expect(one.preview).toContain('(stopped at this number of files: narrow pattern, root');
  const two = await world.perform(rgTool, { pattern: 'needle', max_files: 2 });
  expect(ret(two)).toMatchObject({ matches: 2, files_left: 0 });
  expect(ret(await world.perform(rgTool, { max_files: 3 }))).toMatchObject({ files_left: 1 });
});

// proves: tools.rg
test('a match has its path, its size and a range that react.read takes', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/a.txt`;
  await world.file(path, `${'hay\n'.repeat(20)}needle`);
  const { hits, read_items } = ret(await world.perform(rgTool, { pattern: 'needle' })) as {
    hits: object[];
    read_items: { path: string; line_start: number; line_count: number }[];
  };
  expect(hits).toMatchObject([{ path, size_bytes: 86, text_symbols: 86, line_count: 21 }]);
  expect(read_items).toEqual([{ path, line_start: 15, line_count: 24 }]);
  const shown = await world.perform(readTool, { items: read_items });
  expect(shown.preview).toContain('needle');
});

test('the newest part of the timeline is searched first', async () => {
  const world = await openWorld();
  const note = { turn, type: 'react.note', author: 'agent' as const, data: {} };
  const paths = [1, 2, 3].map((n) => toBlockPath(`ar:${turn}.react.note.${n}`));
  await world.append(paths.map((path) => ({ ...note, path, text: 'needle' })));
  const found = await world.perform(rgTool, { pattern: 'needle', root: 'timeline', max_files: 2 });
  const hits = paths.toReversed().slice(0, 2);
  expect(ret(found)).toMatchObject({ full: true, hits: hits.map((path) => ({ path })) });
});

test('targets beyond the limits of a search are counted', async () => {
  const world = await openWorld();
  const context = await world.contextOf(rgTool, {});
  const pattern = toRegex('nothing of the kind');
  if (!pattern.ok) throw new Error(pattern.because);
  const place = { path: toBlockPath(`ar:${past}.user.prompt`), name: 'prompt' };
  const places = Array.from({ length: rgPlacesMax + 50 }, () => place);
  const asked = { context_lines: 0, max_matches: 1, max_files: 1 };
  const pace = { over: false, pause: async () => undefined };
  const found = await search(places, { asked, pattern, pace, context });
  expect(found).toMatchObject({ searched: rgPlacesMax, left: 50, stopped: undefined });
});
