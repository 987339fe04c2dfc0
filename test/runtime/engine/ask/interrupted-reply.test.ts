import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import type { AgentSettings } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { agentWith, openHarness } from '../kit/harness.ts';

const fanout = { policies: { ...agentWith().policies, multiAction: 'safe_fanout' as const } };
const call = (a: number, notes: string) =>
  `<channel:decision>{"action":"call_tool","notes":"${notes}","tool_call":{"tool_id":"math.add","params":{"a":${a},"b":1}}}</channel:decision>`;
const half =
  '<channel:decision>{"action":"call_tool","tool_call":{"tool_id":"math.add","params":{}},"notes":"Half a note';

async function steered(raw: string, agent: Partial<AgentSettings> = fanout) {
  await using harness = await openHarness(
    [
      { raw: `<channel:thinking>Hm</channel:thinking>${raw}{{hold}}`, hold: 'writing' },
      { answer: 'Right.' },
    ],
    { agent },
  );
  await harness.say('Add');
  await harness.model.held('writing');
  await harness.say('Leave it', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(verify(blocks)).toEqual([]);
  const prompt = harness.model.requests[1]?.text ?? '';
  return { blocks, prompt, frames: await harness.frames() };
}

// proves: steer.keeps-shown
test('notes of an interrupted reply that people saw are on the log and in the next prompt', async () => {
  const { blocks, prompt, frames } = await steered(half);
  const [notes] = blocks.filter(({ type }) => type === 'react.notes');
  expect(notes).toMatchObject({ text: 'Half a note', meta: { interrupted: true } });
  const shown = frames.flatMap((frame) => (frame.kind === 'delta' ? [frame.stream] : []));
  expect(shown).toContain(dataOf(notes)['stream']);
  expect(prompt).toContain('Half a note');
});

// proves: steer.keeps-shown, steer.not-executed
test('complete calls of an interrupted reply are on the log as not executed', async () => {
  const { blocks, prompt } = await steered(
    `${call(1, 'One')}${call(2, 'Two')}<channel:timeline_text>Then`,
  );
  const calls = blocks.filter(({ type }) => type === 'react.tool.call');
  expect(calls.map((each) => dataOf(each)['input'])).toEqual([
    { a: 1, b: 1 },
    { a: 2, b: 1 },
  ]);
  const results = blocks.filter(({ type }) => type === 'react.tool.result');
  const lost = { ok: false, error: { code: 'not_executed', retryable: true } };
  expect(results.map(({ data }) => data)).toMatchObject([lost, lost]);
  expect(prompt).toContain('not_executed');
  const closes = blocks.filter(({ type }) => type === 'round.close').map(dataOf);
  expect(closes[0]).toMatchObject({ outcome: 'interrupted' });
});

// proves: steer.keeps-shown
test('notes of a reply that breaks the protocol are on the log if people saw them', async () => {
  const broken = `${half}"} nonsense</channel:decision>`;
  await using harness = await openHarness([{ raw: broken }, { answer: 'Right.' }]);
  await harness.say('Add');
  const blocks = await harness.closed();
  const [notes] = blocks.filter(({ type }) => type === 'react.notes');
  expect(notes?.text).toBe('Half a note');
});

// proves: steer.keeps-shown, steer.not-executed, multi-action.bundle
test('a bundle that is interrupted anywhere leaves one unexecuted call for each decision that was whole', async () => {
  const agent = { policies: { ...agentWith().policies, multiAction: 'bundle' as const } };
  const decisions = Array.from({ length: 10 }, (_, index) => call(index, `Call ${index}`));
  const whole = decisions.join('');
  for (let at = 0; at < whole.length; at += 29) {
    const { blocks } = await steered(whole.slice(0, at), agent);
    const before = decisions.filter(
      (_, index) => decisions.slice(0, index + 1).join('').length <= at,
    );
    const results = blocks.filter(({ type }) => type === 'react.tool.result').map(dataOf);
    expect(results).toHaveLength(before.length);
    for (const { error } of results) expect(error).toMatchObject({ code: 'not_executed' });
  }
});

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
