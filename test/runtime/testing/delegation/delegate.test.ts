import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool, delegate } from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';
import { ask, childBlocks, desk, research, said } from './delegate-kit.ts';

const find = { call: { tool: 'web.search', input: { words: 'ortler' } } };

// proves: delegate.answers
test('another agent works on a call in its own conversation, and its answer is the result', async () => {
  const before = { call: { tool: 'web.search', input: { words: 'before' } } };
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [
      before,
      ask,
      { when: 'Find out', ...find },
      { answer: 'It is 3905 m [[S:1]].' },
      { answer: '3905 m [[S:2]].' },
    ],
  });
  const turn = await runtime.send('How high is Ortler?');
  const { sources, usage } = await turn.done();
  expect(sources.map(({ url }) => url)).toEqual(['https://found.test/ortler']);
  const blocks = await turn.blocks();
  const child = await childBlocks(runtime, blocks);
  expect(child.find(({ type }) => type === 'user.prompt')?.text).toBe('How high is Ortler?');
  const conversation = said(blocks, 'agent.call')[0]?.['conversation'];
  expect(said(blocks, 'react.tool.result')[1]?.['ret']).toEqual({
    answer: 'It is 3905 m [[S:2]].',
    conversation,
    sources: [{ sid: 2, title: 'About ortler', url: 'https://found.test/ortler' }],
  });
  const [end] = said(child, 'turn.close');
  const own = z.object({ output_tokens: z.number() }).parse(end?.['usage']);
  expect(usage.outputTokens).toBeGreaterThan(own.output_tokens);
  expect(outline(child, 'turn')).toEqual(['turn.open', 'turn.close completed']);
});

// proves: delegate.typed
test('a tool with an output schema returns the validated output of the agent', async () => {
  const output = z.object({ metres: z.number() });
  const input = z.object({ mountain: z.string(), year: z.int() });
  const tool = defineTool({
    ...{ id: 'desk.height', description: 'Finds a height.', input, output },
    run: delegate({ agent: 'surveyor' }),
  });
  const main = defineAgent({ id: 'main', instruction: 'Ask.', tools: [tool] });
  const surveyor = defineAgent({ id: 'surveyor', instruction: 'Measure.', output });
  await using runtime = await openRuntime({
    bundle: defineBundle({ id: 'desk', version: '1', agents: [main, surveyor] }),
    model: [
      { call: { tool: 'desk.height', input: { mountain: 'Ortler', year: 2026 } } },
      { answer: 'Measured.', output: { metres: 3905 } },
      { answer: 'Done.' },
    ],
  });
  const turn = await runtime.send('How high?');
  await turn.done();
  const blocks = await turn.blocks();
  expect(said(blocks, 'react.tool.result')).toEqual([{ ok: true, ret: { metres: 3905 } }]);
  const prompt = (await childBlocks(runtime, blocks)).find(({ type }) => type === 'user.prompt');
  expect(JSON.parse(prompt?.text ?? '')).toEqual({ mountain: 'Ortler', year: 2026 });
});

// proves: delegate.fails
test('a failed agent is an error result with a code, and the turn continues', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [ask, { fault: { code: 'MODEL_REFUSED' } }, { answer: 'I could not find out.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  expect((await turn.done()).text).toBe('I could not find out.');
  const [result] = said(await turn.blocks(), 'react.tool.result');
  expect(result).toMatchObject({ ok: false, error: { code: 'agent_failed', retryable: false } });
  expect(Object(result?.['error']).message).toContain('MODEL_REFUSED');
});

// proves: delegate.depth
test('a delegated call cannot delegate further, and the refusal says so', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [
      ask,
      ask,
      { when: 'nothing of it is delegated further', answer: 'Alone, then.' },
      { answer: 'So be it.' },
    ],
  });
  const turn = await runtime.send('How high is Ortler?');
  expect((await turn.done()).text).toBe('So be it.');
  const child = await childBlocks(runtime, await turn.blocks());
  expect(outline(child, 'react.tool.result')).toEqual(['react.tool.result delegation_too_deep']);
  expect(said(child, 'agent.call')).toEqual([]);
});

// proves: delegate.budget
test('a delegated agent has its own rounds, and at most the remaining budget of its caller', async () => {
  await using runtime = await openRuntime({
    bundle: desk({ tool: research('researcher', 1), main: { budgets: { tokens: 9_000 } } }),
    model: [ask, find, { answer: 'About 3905 m.' }, { answer: 'About 3905 m.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  await turn.done();
  const blocks = await turn.blocks();
  const phases = (all: typeof blocks) => said(all, 'round.open').map(({ phase }) => phase);
  const child = await childBlocks(runtime, blocks);
  expect(phases(child)).toEqual(['decision', 'finalize']);
  const Lent = z.object({ rounds: z.literal(1), tokens: z.number().min(1).max(8_000) });
  expect(Lent.safeParse(said(child, 'turn.open')[0]?.['delegated']).error).toBeUndefined();
  // The usage of the other agent counts here, too.
  expect(phases(blocks)).toEqual(['decision', 'finalize']);
});

// proves: delegate.budget
test('a delegated agent has at most the remaining rounds of its caller', async () => {
  await using runtime = await openRuntime({
    bundle: desk({ tool: research(), main: { budgets: { rounds: 2 } } }),
    model: [ask, find, { answer: 'About 3905 m.' }, { answer: 'About 3905 m.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  await turn.done();
  const child = await childBlocks(runtime, await turn.blocks());
  expect(said(child, 'turn.open')[0]?.['delegated']).toMatchObject({ rounds: 1 });
});

// proves: delegate.budget
test('an agent that is called in the last round has one finalizing call', async () => {
  await using runtime = await openRuntime({
    bundle: desk({ tool: research(), main: { budgets: { rounds: 1 } } }),
    model: [ask, { answer: 'About 3905 m.' }, { answer: 'About 3905 m.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  await turn.done();
  const child = await childBlocks(runtime, await turn.blocks());
  expect(said(child, 'turn.open')[0]?.['delegated']).toMatchObject({ rounds: 0 });
  expect(said(child, 'round.open').map(({ phase }) => phase)).toEqual(['finalize']);
});

test('a nested call cannot wait, and the refusal says what to do instead', async () => {
  const tool = research();
  const nosy = defineTool({
    ...{ id: 'desk.nosy', description: 'Asks.', input: z.object({}), effects: 'none' },
    run: (_, ctx) => ctx.call(tool, { question: 'How high?' }),
  });
  const main = defineAgent({ id: 'main', instruction: 'Ask.', tools: [tool, nosy] });
  const researcher = defineAgent({ id: 'researcher', instruction: 'Find out.' });
  await using runtime = await openRuntime({
    bundle: defineBundle({ id: 'desk', version: '1', agents: [main, researcher] }),
    model: [{ call: { tool: 'desk.nosy', input: {} } }, { answer: 'No.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  await turn.done();
  const [result] = said(await turn.blocks(), 'react.tool.result');
  expect(Object(result?.['error']).message).toContain('Call it as an action of its own.');
});

// proves: delegate.load
test('an unknown agent stops loading, with the most similar name', async () => {
  const open = (bundle: Parameters<typeof openRuntime>[0]['bundle']) =>
    openRuntime({ bundle, model: [] });
  await expect(open(desk({ tool: research('reseacher') }))).rejects.toThrow(
    'tool “desk.research” delegates to the unknown agent “reseacher”; did you mean researcher (and main)?',
  );
  await expect(open(desk({ tool: research('researcher', 0) }))).rejects.toThrow(
    'rounds must be a whole number from 1',
  );
});
