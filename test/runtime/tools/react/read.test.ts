import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import type { CompletedCall } from '../../../../runtime/tools/calls/run-call.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { error, openWorld, ret, turn } from '../kit.ts';

function rows(performed: CompletedCall): readonly JsonObject[] {
  const value = ret(performed);
  const list = isJsonObject(value) ? value['paths'] : [];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

test('paths are read whole with line numbers, and missing ones are listed; both are results', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/a.txt`, 'one\ntwo\n');
  const performed = await world.perform(readTool, {
    paths: [`fi:${turn}.outputs/a.txt`, 'fi:turn_9.outputs/b.txt', 'nonsense'],
  });
  expect(performed.preview).toContain('     1\tone\n     2\ttwo\n');
  expect(performed.preview).toContain(
    'missing (nothing is there): fi:turn_9.outputs/b.txt, nonsense',
  );
  expect(rows(performed)).toMatchObject([
    { status: 'loaded', lines: 2, from: 1, to: 2, mime: 'text/plain' },
  ]);
});

test('a part is read by lines or by characters, numbered as in the whole', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/a.txt`, 'one\ntwo\nthree\nfour\n');
  const path = `fi:${turn}.outputs/a.txt`;
  const performed = await world.perform(readTool, {
    items: [
      { path, line_start: 2, line_count: 2 },
      { path, offset_text_symbols: 4, max_text_symbols: 3 },
    ],
  });
  expect(performed.preview).toContain('     2\ttwo\n     3\tthree\n');
  expect(rows(performed)).toMatchObject([{ next: { path, line_start: 4 } }, { start: 4, end: 7 }]);
  const [, lines = '', chars = ''] = performed.preview.split(/^\[\d\] /m);
  expect(lines).not.toContain('read on');
  expect(chars).toContain('read on');
});

test('a text that was read whole in this turn is not repeated until it changes or is hidden', async () => {
  const world = await openWorld();
  const path = `fi:${turn}.outputs/a.txt`;
  await world.file(path, 'one\ntwo\n');
  await world.perform(readTool, { paths: [path] }, { call: toCallId('tc_first') });
  const again = await world.perform(readTool, { paths: [path] });
  expect(rows(again)).toMatchObject([
    { status: 'exists_in_visible_context', visible_at: `tc:${turn}.tc_first.result` },
  ]);
  expect(again.preview).not.toContain('\tone');
  const part = await world.perform(readTool, { items: [{ path, line_count: 1 }] });
  expect(part.preview).toContain('\tone');
  await world.append([
    {
      turn,
      type: 'view.hide',
      author: 'agent',
      data: { path: `tc:${turn}.tc_first.result`, replacement: 'gone', cause: 'react.hide' },
    },
  ]);
  expect(rows(await world.perform(readTool, { paths: [path] }))).toMatchObject([
    { status: 'loaded' },
  ]);
  await world.file(path, 'two\n');
  expect(rows(await world.perform(readTool, { paths: [path] }))).toMatchObject([
    { status: 'loaded' },
  ]);
});

// proves: tools.read
test('each path has its limits, all paths of a read together have twice as much, and clipped ones say how to read on', async () => {
  const world = await openWorld();
  const big = `fi:${turn}.outputs/big.txt`;
  const more = `fi:${turn}.outputs/more.txt`;
  const last = `fi:${turn}.outputs/last.txt`;
  const text = Array.from({ length: 9000 }, (_, line) => `line ${line} of many words`).join('\n');
  await world.file(big, text);
  await world.file(more, text.toUpperCase());
  await world.file(last, text);
  const performed = await world.perform(readTool, { paths: [big, more, last] });
  const [first = {}, second = {}, third = {}] = rows(performed);
  const clipped = { status: 'truncated_for_visible_context' };
  expect([first, second, third]).toMatchObject([clipped, clipped, clipped]);
  for (const { tokens } of [first, second]) {
    expect(tokens).toBeGreaterThan(8_000);
    expect(tokens).toBeLessThanOrEqual(12_000);
  }
  expect(Number(first['tokens']) + Number(second['tokens'])).toBeLessThanOrEqual(24_000);
  expect(performed.preview.length).toBeLessThan(110_000);
  const next = await world.perform(readTool, { items: [first['next'] ?? null] });
  expect(next.preview).toContain(`line ${first['to']} of many words`);
});

test('stats give sizes without the text', async () => {
  const world = await openWorld();
  await world.file(`fi:${turn}.outputs/a.txt`, 'one\ntwo\n');
  await world.file(`fi:${turn}.outputs/a.png`, new Uint8Array([137, 80, 78, 71, 0]), 'image/png');
  const performed = await world.perform(readTool, {
    paths: [`fi:${turn}.outputs/a.txt`, `fi:${turn}.outputs/a.png`],
    stats_only: true,
  });
  expect(rows(performed)).toMatchObject([
    { status: 'stats_only', lines: 2, characters: 8 },
    { status: 'stats_only', bytes: 5 },
  ]);
  expect(performed.preview).not.toContain('one');
});

const report = createTool({
  id: 'demo.report',
  kind: 'bundle',
  description: 'report',
  input: z.object({ rows: z.int().default(0) }),
  run: async ({ rows: count }) =>
    count === 0
      ? { result: { ok: true, ret: { limits: { ms: 1 } } }, preview: 'Status: ok\nline two' }
      : { result: { ok: true, ret: Array.from({ length: count }, (_, id) => ({ id })) } },
});

test('a result is read as it was shown, or whole if only its beginning was shown', async () => {
  const world = await openWorld();
  await world.perform(report, {}, { call: toCallId('tc_told') });
  await world.perform(report, { rows: 3 }, { call: toCallId('tc_small') });
  await world.perform(report, { rows: 3_000 }, { call: toCallId('tc_large') });
  const read = async (call: string, range = {}) => {
    const items = [{ path: `tc:${turn}.${call}.result`, ...range }];
    return (await world.perform(readTool, { items })).preview;
  };
  expect(await read('tc_told')).toMatch(/lines 1-2 of 2 · text\/plain\nStatus: ok\nline two\n$/);
  expect(await read('tc_told')).not.toContain('limits');
  expect(await read('tc_told', { line_start: 2 })).toContain('     2\tline two');
  expect(await read('tc_small')).toContain('\n[{"id":0},{"id":1},{"id":2}]\n');
  expect(await read('tc_large')).toContain('\n  {\n    "id": 0\n  },\n');
  expect(await read('tc_large', { line_start: 8_999 })).toContain('"id": 2999');
});

test('reading nothing is invalid input', async () => {
  const world = await openWorld();
  expect(error(await world.perform(readTool, {}))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching('paths or items') as string,
  });
  expect(error(await world.perform(readTool, { paths: { a: 1 } }))?.code).toBe('invalid_input');
});
