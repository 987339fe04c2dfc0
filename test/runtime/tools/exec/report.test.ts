import { expect, test } from 'vitest';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { fetchContext } from '../../../../runtime/tools/exec/host/fetch-context.ts';
import { writeTool } from '../../../../runtime/tools/react/write/write.ts';
import { codeFence } from '../../../../supervisor/report/code-fence.ts';
import { blocksOf, openWorld, turn } from '../kit.ts';
import { envelope, execTool } from './kit.ts';

const program = (text: string) => ({ code: { text, language: 'python' as const } });
const quick = execTool(async function* (request) {
  yield envelope(request);
});

test('a program can read the whole of a result that is longer than its report', async () => {
  const world = await openWorld();
  const said = 'line\n'.repeat(20_000);
  const prints = execTool(async function* (request) {
    yield envelope(request, { user_out: said, user_out_tail: said.slice(-4_000) });
  });
  const performed = await world.perform(
    prints,
    {},
    { ...program('print'), call: toCallId('tc_long') },
  );
  const path = `tc:${turn}.tc_long.result`;
  expect(performed.preview).toContain('fetch_ctx("tc:t2.c1.result")');
  const { services } = await world.contextOf(quick, {});
  const { ret } = await fetchContext(path, services);
  expect(ret).toMatchObject({ payload: { user_out: said } });
});

test('the output of a program is shown whole, whatever it contains', async () => {
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

test('previews of files in a result are short enough to stay inline; the blocks of the files have longer ones', async () => {
  const world = await openWorld();
  const blob = await world.put('x');
  const text_preview = 'line\n'.repeat(1_600);
  const preview = { text_preview, text_symbols: 8_000, line_count: 1_600, text_truncated: false };
  const delivers = execTool(async function* (request) {
    const one = {
      mime: 'text/plain',
      blob,
      visibility: 'external',
      description: '',
      preview,
    } as const;
    const artifacts = ['a.txt', 'b.txt'].map((name) => ({ ...one, filepath: `outputs/${name}` }));
    yield envelope(request, { artifacts });
  });
  const { blocks } = await world.perform(delivers, {}, program('write'));
  const short = { text_preview: text_preview.slice(0, 1_000), text_truncated: true };
  expect(
    blocks.map(({ type, text, data }) => [type, type === 'artifact.file' ? text : data]),
  ).toMatchObject([
    ['artifact.file', text_preview],
    ['artifact.file', text_preview],
    ['react.tool.result', { ret: { backend: 'fake', artifacts: [short, short] } }],
  ]);
});

// proves: tools.ref-binding
test.each([
  ['short', 'a,b\n1,2\n', {}],
  ['of a program that prints a heading', '## Output\n```\nx\n```\n', {}],
  ['longer than a report', 'line\n'.repeat(9_000), { user_out: 'line\n'.repeat(9_000) }],
  ['of a program with files', 'done\n', { artifacts: [] }],
])('a reference to the result of a program is what it printed: %s', async (_, said, more) => {
  const world = await openWorld();
  const report_text = `Status: ok\n\n## Output\n${codeFence(said)}`;
  const prints = execTool(async function* (request) {
    yield envelope(request, { report_text, user_out_tail: said.slice(-4_000), ...more });
  });
  await world.perform(prints, {}, { ...program('print'), call: toCallId('tc_says') });
  const written = await world.perform(writeTool, {
    path: 'outputs/said.md',
    channel: 'canvas',
    content: `ref:tc:${turn}.tc_says.result`,
  });
  expect(blocksOf(written, 'canvas').map(({ text }) => text?.trimEnd())).toEqual([said.trimEnd()]);
});
