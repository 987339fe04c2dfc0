import { once } from 'node:events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { add, openHarness, outline } from '../kit/harness.ts';

const sum = { tool: 'math.add', input: { a: 2, b: 3 } };

// proves: direct.call
test('a turn that was opened with a call makes it without a model, and closes', async () => {
  await using harness = await openHarness([]);
  await harness.say('add', { call: sum });
  const blocks = await harness.closed();
  expect(harness.model.requests).toEqual([]);
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({ ok: true, ret: 5 });
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', usage: { input_tokens: 0 } });
  expect(outline(blocks, 'round')).toHaveLength(2);
  expect(verify(blocks)).toEqual([]);
});

test('the input of a direct call is checked, and an unknown tool is a result', async () => {
  await using harness = await openHarness([]);
  await harness.say('add', { call: { tool: 'math.add', input: { a: 'x' } } });
  const [wrong] = (await harness.closed()).filter(({ type }) => type === 'react.tool.result');
  expect(wrong?.data).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
  await harness.say('add', { call: { tool: 'math.none', input: {} } });
  const results = async () =>
    (await harness.blocks()).filter(({ type }) => type === 'react.tool.result');
  await expect.poll(async () => (await results()).length).toBe(2);
  expect((await results())[1]?.data).toMatchObject({
    ok: false,
    error: { code: 'tool_not_found' },
  });
});

test('a message during a direct call is answered by a turn of its own', async () => {
  const gate = new AbortController();
  const started = new AbortController();
  const slow = createTool({
    id: 'math.slow',
    description: 'Waits.',
    kind: 'bundle',
    traits: ['exploration'],
    input: z.object({}),
    run: async () => {
      started.abort();
      if (!gate.signal.aborted) await once(gate.signal, 'abort');
      return { result: { ok: true, ret: 'slow' } };
    },
  });
  await using harness = await openHarness([{ answer: 'Hello.' }], { tools: [add, slow] });
  await harness.say('slow', { call: { tool: 'math.slow', input: {} } });
  await expect.poll(() => started.signal.aborted).toBe(true);
  await harness.say('Hello?', { kind: 'followup' });
  gate.abort();
  await expect.poll(async () => outline(await harness.blocks(), 'turn.close').length).toBe(2);
  const blocks = await harness.blocks();
  expect(harness.model.requests).toHaveLength(1);
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'Hello.' });
  expect(verify(blocks)).toEqual([]);
});
