import { expect, test } from 'vitest';
import { fetchContext } from '../../../../runtime/tools/exec/fetch-context.ts';
import { openWorld, turn } from '../kit.ts';
import { envelope, execTool } from './kit.ts';

const program = (text: string) => ({ code: { text, language: 'python' as const } });
const quick = execTool(async function* (request) {
  yield envelope(request);
});

test('a result that is longer than its report is read whole by a program', async () => {
  const world = await openWorld();
  const said = 'line\n'.repeat(20_000);
  const prints = execTool(async function* (request) {
    yield envelope(request, { user_out: said, user_out_tail: said.slice(-4_000) });
  });
  const performed = await world.perform(prints, {}, { ...program('print'), call: 'tc_long' });
  const path = `tc:${turn}.tc_long.result`;
  expect(performed.preview).toContain(`fetch_ctx("${path}")`);
  const { services } = await world.contextOf(quick, {});
  const { ret } = await fetchContext(path, services);
  expect(ret).toMatchObject({ payload: { user_out: said } });
});

test('what a program prints is shown whole, whatever it is', async () => {
  const world = await openWorld();
  const said = '\0'.repeat(40_000) + 'é😀\n'.repeat(20_000);
  const prints = execTool(async function* (request) {
    yield { kind: 'output', stream: 'stdout', text: said };
    yield envelope(request);
  });
  const { blocks } = await world.perform(prints, {}, program('print'));
  const shown = world.live.flatMap((piece) =>
    piece.kind === 'live' && piece.type === 'chat.exec.output' ? [piece.data] : [],
  );
  expect(shown.map((data) => (data as { text: string }).text).join('')).toBe(said);
  expect(blocks.map(({ type }) => type)).toEqual(['react.tool.result']);
});
