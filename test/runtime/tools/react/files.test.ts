import { expect, test } from 'vitest';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { rgTool } from '../../../../runtime/tools/react/rg/rg.ts';
import { checkoutTool } from '../../../../runtime/tools/react/workspace/checkout.ts';
import { pullTool } from '../../../../runtime/tools/react/workspace/pull.ts';
import { containing } from '../../../tools/matchers.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../kit.ts';

// proves: tools.pull-checkout
test('files of earlier turns are pulled by path or by folder, and missing ones are listed', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.outputs/a.csv`, 'a');
  await world.file(`fi:${past}.files/src/b.py`, 'b');
  const performed = await world.perform(pullTool, {
    paths: [`fi:${past}.outputs/a.csv`, `fi:${past}.files/`, `fi:${past}.outputs/none`, 'rubbish'],
  });
  expect(ret(performed)).toMatchObject({
    pulled: [{ available_as: 't1/outputs/a.csv' }, { available_as: 't1/files/src/b.py' }],
    missing: [`fi:${past}.outputs/none`],
    invalid: [{ path: 'rubbish', code: 'pull_require_exact_file_ref' }],
  });
  expect([...(await world.view()).pulled]).toEqual([
    `fi:${past}.outputs/a.csv`,
    `fi:${past}.files/src/b.py`,
  ]);
});

test('checked-out files belong to this turn and have the same bytes', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.files/src/b.py`, 'b');
  const performed = await world.perform(checkoutTool, {
    paths: `fi:${past}.files/`,
    mode: 'replace',
  });
  expect(ret(performed)).toMatchObject({
    checked_out: [{ to: `fi:${turn}.files/src/b.py` }],
    missing: [],
  });
  const { services } = await world.contextOf(readTool, {});
  const copy = await services.read(`fi:${turn}.files/src/b.py`);
  expect(copy && new TextDecoder().decode(await services.bytes(copy))).toBe('b');
  const again = await world.perform(checkoutTool, {
    paths: [`fi:${past}.files/`],
    mode: 'replace',
  });
  expect(error(again)?.code).toBe('react.checkout.nonempty');
});

test('a checkout with a missing path copies nothing, and of two files with the same name the later one wins', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.files/a.py`, 'a');
  const half = await world.perform(checkoutTool, {
    paths: [`fi:${past}.files/a.py`, `fi:${past}.user.attachments/x`],
  });
  expect(half.result).toMatchObject({
    error: { code: 'checkout_missing_paths' },
    ret: { missing: [`fi:${past}.user.attachments/x`] },
  });
  expect(blocksOf(half, 'artifact.file')).toEqual([]);
  await world.file(`fi:${turn}.files/a.py`, 'mine');
  const own = await world.perform(checkoutTool, {
    paths: [`fi:${past}.files/a.py`, `fi:${turn}.files/a.py`],
  });
  expect(ret(own)).toMatchObject({ checked_out: [], overridden: [`fi:${past}.files/a.py`] });
});

test('one pulled file can be given to the user again, several cannot', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.outputs/a.csv`, 'a');
  const paths = [`fi:${past}.outputs/a.csv`];
  const shared = await world.perform(pullTool, { paths, share: true });
  expect(blocksOf(shared, 'artifact.file')).toMatchObject([
    { path: `fi:${turn}.outputs/a.csv`, data: { visibility: 'external' } },
  ]);
  const several = await world.perform(pullTool, { paths: [`fi:${past}.outputs/`], share: true });
  const none = await world.perform(pullTool, { paths: [`fi:${past}.outputs/no`], share: true });
  expect(blocksOf(several, 'react.notice')[0]?.data).toEqual({
    code: 'react.pull.share_single_file_only',
  });
  expect(error(none)?.code).toBe('pull_found_nothing');
  expect(blocksOf(several, 'artifact.file')).toEqual([]);
});

// proves: tools.rg
test('only files of this turn and pulled files are searched', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.user.attachments/data.csv`, 'x,1\nneedle,2\n', 'text/csv');
  await world.file(`fi:${past}.outputs/old.txt`, 'old needle\n');
  await world.file(`fi:${turn}.outputs/p.png`, new Uint8Array([0, 1]), 'image/png');
  const before = await world.perform(rgTool, { pattern: 'needle', context_lines: 1 });
  expect(ret(before)).toMatchObject({
    matches: 1,
    hits: [
      {
        path: `fi:${turn}.user.attachments/data.csv`,
        matches: [{ line: 2, context: ['x,1', 'needle,2', ''] }],
      },
    ],
    skipped: [`fi:${turn}.outputs/p.png`],
  });
  await world.perform(pullTool, { paths: [`fi:${past}.outputs/old.txt`] });
  expect(ret(await world.perform(rgTool, { pattern: 'needle' }))).toMatchObject({ matches: 2 });
  for (const root of ['t1/', `${past}/`, `./${past}/outputs/`]) {
    const found = await world.perform(rgTool, { pattern: 'needle', root });
    expect(ret(found)).toMatchObject({ matches: 1 });
  }
  expect(ret(await world.perform(rgTool, { name_regex: '\\.csv$' }))).toMatchObject({
    files: [{ name: 'attachments/data.csv' }],
  });
});

test('errors explain an invalid pattern and a root that matches nothing', async () => {
  const world = await openWorld();
  expect(error(await world.perform(rgTool, { pattern: '(' }))?.code).toBe('rg_invalid_regex');
  expect(ret(await world.perform(rgTool, { pattern: 'x' }))).toMatchObject({ matches: 0 });
  await world.file(`fi:${turn}.outputs/a.txt`, 'x');
  const lost = await world.perform(rgTool, { pattern: 'x', root: '/etc/' });
  expect(error(lost)).toMatchObject({ code: 'rg_invalid_root', retryable: false });
});

test('root timeline searches messages and calls with whole results, but not the search itself', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/long.txt`, `${'word '.repeat(5_000)}\nneedle in hay\n`);
  await world.perform(readTool, {
    items: [{ path: `fi:${turn}.outputs/long.txt`, line_start: 2 }],
  });
  const said = await world.perform(rgTool, { pattern: 'hello|(?i)NEEDLE in', root: 'timeline' });
  const { hits = [] } = ret(said) as { hits?: readonly { path: string }[] };
  expect(hits.map(({ path }) => path)).toEqual([`ar:${past}.user.prompt`]);
  for (const root of [`tc:${turn}.tc_1.`, 'tc:t2.c1.']) {
    const calls = await world.perform(rgTool, { pattern: 'long.txt', root });
    expect(ret(calls)).toMatchObject({
      hits: [{ path: `tc:${turn}.tc_1.result` }, { path: `tc:${turn}.tc_1.call` }],
    });
  }
  const listed = await world.perform(rgTool, { root: 'timeline', name_regex: 'user.prompt$' });
  expect(ret(listed)).toMatchObject({ files: [{ path: `ar:${past}.user.prompt` }] });
});

test('pulled files are listed by the names that a program opens', async () => {
  const world = await openWorld();
  await world.file(`fi:${past}.outputs/a.csv`, 'a');
  const pulled = await world.perform(pullTool, { paths: [`fi:${past}.outputs/a.csv`] });
  expect(pulled.preview).toBe('t1/outputs/a.csv · 1 B');
  const none = await world.perform(pullTool, { paths: ['rubbish', `fi:${past}.outputs/b`] });
  // proves: tools.pull-nothing
  expect(error(none)).toMatchObject({
    code: 'pull_found_nothing',
    message: containing(`nothing is at fi:${past}.outputs/b; pull_require_exact_file_ref: rubbish`),
  });
  const copied = await world.perform(checkoutTool, { paths: [`fi:${past}.outputs/a.csv`] });
  expect(copied.preview).toBe('outputs/a.csv · 1 B · from fi:t1.outputs/a.csv');
});
