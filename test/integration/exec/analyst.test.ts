import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../../bundles/analyst/bundle.ts';
import { toFindings } from '../../../bundles/analyst/ui/board/findings.js';
import { loadScript } from '../../../runtime/adapters/models/scripted/load-script.ts';
import { openRuntime, outline } from '../../../runtime/testing/index.ts';
import { countTokens } from '../../../runtime/timeline/tokens.ts';
import { root } from '../../architecture/tree.ts';

// proves: sdk.analyst

const dir = join(root, 'bundles/analyst');
const data = readFileSync(join(root, 'node_modules/vega-datasets/data/seattle-weather.csv'));
const weather = { name: 'seattle-weather.csv', mime: 'text/csv', data: new Uint8Array(data) };
const question = 'How did the four years differ, and which months are the wettest?';
const followup = 'And are the summers getting warmer?';

/** The script of the demo at full speed; the reply `number` (from 0) stands still after its thinking. */
function scriptOf(name: string, number: number) {
  const { replies } = loadScript(join(dir, `${name}.yaml`));
  return replies.map((reply, index) => ({
    ...reply,
    chunk: 64,
    delay_ms: 0,
    ...(index === number ? { hold: 'writing' } : {}),
  }));
}

test('the demo: profile, program, tool calls from it, files, widget, followup, answer, memory', async () => {
  const model = scriptOf('demo', 2);
  await using runtime = await openRuntime({ bundle, dir, model, exec: 'process' });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send(question, { attachments: [weather] });
  await runtime.model.held('writing');
  expect(await turn.followup(followup)).toMatchObject({ status: 'queued' });
  runtime.model.release('writing');

  const { reason, text, files, sources, degraded } = await turn.done();
  expect({ reason, degraded }).toEqual({ reason: 'completed', degraded: false });
  expect(text).toContain('December 2015** with 284.5 mm');
  expect(sources).toMatchObject([{ sid: 1 }]);
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    `fi:${turn.id}.outputs/report.html`,
    `fi:${turn.id}.outputs/temperature.svg`,
  ]);
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool.call', 'react.tool.result', 'react.notice')).toEqual([
    'react.tool.call react.plan',
    'react.tool.result ok',
    'react.tool.call react.read',
    'react.tool.result ok',
    'react.tool.call weather.profile',
    'react.tool.result ok',
    'react.tool.call exec_tools.execute_code_python',
    'react.tool.result ok',
    'react.tool.call exec_tools.execute_code_javascript',
    'react.tool.result ok',
    'react.tool.call react.plan',
    'react.tool.result ok',
  ]);

  // What the script says is what the programs and tools found.
  const results = blocks.filter(({ type }) => type === 'react.tool.result');
  expect(results[3]?.text).toContain('2015: mean daily high 17.4 C (normal 16.2), rain 1139 mm');
  expect(results[4]?.text).toContain('2015: mean daily high of June to August 26.8 °C, 23 days');
  const boards = blocks.filter(({ type }) => type === 'canvas');
  expect(boards.map((board) => toFindings(board.text ?? '', { whole: true }).length)).toEqual([
    3, 6,
  ]);
  const folded = runtime.model.requests.filter((request) => request.text.includes(followup));
  expect(folded.length).toBe(2);
  const [{ text: prompt = '' } = {}] = runtime.model.requests;
  expect(countTokens(prompt.slice(0, prompt.indexOf('TURN t1')))).toBeLessThanOrEqual(4_000);

  const second = await conversation.send('Which month was the wettest again?');
  expect((await second.done()).text).toContain('December 2015');
  const [found] = (await second.blocks()).filter(({ type }) => type === 'react.tool.result');
  expect(found?.text).toContain('ar:t1.react.turn.index');
  expect(runtime.model.left).toBe(0);
});

test('the demo without programs answers the same questions', async () => {
  const model = scriptOf('demo-without-programs', 2);
  await using runtime = await openRuntime({ bundle, dir, model });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send(question, { attachments: [weather] });
  await runtime.model.held('writing');
  await turn.followup(followup);
  runtime.model.release('writing');
  const { reason, files } = await turn.done();
  expect(reason).toBe('completed');
  expect(files.map(({ filename }) => filename)).toEqual(['report.md']);
  expect(outline(await turn.blocks(), 'react.notice', 'turn.close')).toEqual([
    'turn.close completed',
  ]);
  const second = await conversation.send('Which month was the wettest again?');
  expect((await second.done()).text).toContain('November');
  expect(runtime.model.left).toBe(0);
});
