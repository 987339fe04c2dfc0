import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import {
  deferred,
  defineAgent,
  defineBundle,
  defineOperation,
  defineTool,
} from '../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../runtime/testing/index.ts';

const render = defineTool({
  id: 'video.render',
  description: 'Renders the video; takes minutes.',
  input: z.object({}),
  traits: ['neutral'],
  defers: true,
  run: async () => deferred({ title: 'the video', task: 'render_1' }),
});
const Place = z.object({ conversation: z.string(), error: z.string().optional() });
const finish = defineOperation({
  id: 'finish',
  input: Place,
  run: ({ conversation, error }, ctx) => {
    const place = { conversation, task: 'render_1' };
    return ctx.tasks.finish(error ? { ...place, error } : { ...place, ret: { file: 'a.mp4' } });
  },
});
const state = defineOperation({
  id: 'state',
  input: Place,
  run: ({ conversation }, ctx) => ctx.tasks.state({ conversation, task: 'render_1' }),
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [render] });
const bundle = defineBundle({
  ...{ id: 'studio', version: '1.0.0', agents: [main], operations: [finish, state] },
});

const start: Reply = { call: { tool: 'video.render', input: {} } };
const tasks = (input: Record<string, string | number>): Reply => {
  return { call: { tool: 'react.tasks', input } };
};

/** A conversation with the task, and the operations of its bundle. */
function stageOf(runtime: Awaited<ReturnType<typeof openRuntime>>) {
  const client = runtime.connect();
  const conversation = client.conversation();
  const ask = (id: string, error?: string) =>
    client.operation('studio', id, {
      conversation: conversation.id,
      ...(error === undefined ? {} : { error }),
    });
  return { conversation, ask };
}

// proves: tasks.wake
test('the result of a deferred call wakes a closed turn, once', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [start, { answer: 'It is rendering.' }, { answer: 'It is ready.' }],
  });
  const { conversation, ask } = stageOf(runtime);
  const turn = await conversation.send('Render it');
  expect(await turn.done()).toMatchObject({ text: 'It is rendering.' });
  expect(await ask('state')).toBe('running');
  expect(await ask('finish')).toBe('finished');
  await expect.poll(() => runtime.model.requests.length).toBe(3);
  expect(runtime.model.requests.at(2)?.text).toContain(
    'Task render_1 (the video) has finished: {"file":"a.mp4"}',
  );
  expect(await ask('finish')).toBe('finished');
  expect(await ask('state')).toBe('finished');
  await expect
    .poll(() => conversation.state.turns.map(({ answer }) => answer))
    .toEqual(['It is rendering.', 'It is ready.']);
});

// proves: tasks.wait
test('a turn that waits for a task is parked until the task ends, and reads its result', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      start,
      tasks({ mode: 'wait', task: 'render_1', seconds: 600 }),
      { answer: 'It is ready.' },
    ],
  });
  const { conversation, ask } = stageOf(runtime);
  const turn = await conversation.send('Render it');
  await expect
    .poll(async () => outline(await turn.blocks(), 'external.call'))
    .toEqual(['external.call']);
  expect(await ask('finish', 'no disk')).toBe('failed');
  expect(await turn.done()).toMatchObject({ text: 'It is ready.' });
  expect(runtime.model.requests.at(2)?.text).toContain('"state":"failed"');
  expect(runtime.model.requests.at(2)?.text).toContain('no disk');
});

// proves: tasks.wait
test('a wait that is too long ends with the state of the task', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [start, tasks({ mode: 'wait', task: 'render_1', seconds: 1 }), { answer: 'Later.' }],
  });
  const { conversation } = stageOf(runtime);
  const turn = await conversation.send('Render it');
  expect(await turn.done()).toMatchObject({ text: 'Later.' });
  expect(runtime.model.requests.at(2)?.text).toContain('"state":"running"');
});

// proves: tasks.cancel
test('the result of a cancelled task is dropped, and its bundle can see that', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      start,
      tasks({ mode: 'cancel', task: 'render_1' }),
      tasks({ mode: 'view' }),
      { answer: 'Stopped.' },
    ],
  });
  const { conversation, ask } = stageOf(runtime);
  await (await conversation.send('Render it, no, stop')).done();
  expect(runtime.model.requests.at(3)?.text).toContain('"state":"cancelled"');
  expect(await ask('state')).toBe('cancelled');
  expect(await ask('finish')).toBe('cancelled');
  expect(runtime.model.requests).toHaveLength(4);
});

// proves: tasks.wake
test('a result survives a crash of the worker that would read it', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [start, { answer: 'Rendering.', hold: 'first' }, { answer: 'It is ready.' }],
  });
  const { conversation, ask } = stageOf(runtime);
  const turn = await conversation.send('Render it');
  await runtime.model.held('first');
  await ask('finish');
  await runtime.crash();
  expect(await turn.done()).toMatchObject({ text: 'It is ready.' });
});
