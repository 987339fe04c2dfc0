import { once } from 'node:events';
import { expect, test } from 'vitest';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { message, type Prompted, untilCancelled } from '../kit/agent-program.ts';
import { editNotes, isRequest, openDemo, requestOf } from '../kit/external-demo.ts';
import { outline } from '../kit/harness.ts';

const run = { toolCallId: 'x1', title: 'Run', kind: 'execute', status: 'in_progress' } as const;

async function begin(prompted: Prompted) {
  await prompted.update({ ...run, sessionUpdate: 'tool_call', rawInput: { command: 'make' } });
  return untilCancelled(prompted);
}

// proves: external.resume
test('another worker loads the session, and what had begun is reported as in doubt', async () => {
  await using demo = await openDemo(async (prompted) => {
    if (demo.programs.texts.length === 1) return begin(prompted);
    await prompted.update(message('Done.'));
    return 'end_turn';
  });
  await demo.harness.say('Build it.');
  await demo.harness.until((all) => all.some(({ type }) => type === 'react.tool.call'));
  await demo.harness.restart();
  const blocks = await demo.harness.closed();
  expect(demo.programs.loads).toEqual([...demo.programs.sessions]);
  expect(demo.programs.texts[1]).toContain('started again with your session');
  expect(demo.programs.texts[1]).toContain('- agent.execute {"command":"make"}');
  expect(blocks.find(({ type }) => type === 'react.notice')?.data).toMatchObject({
    code: 'in_doubt',
  });
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'Done.' });
  const sessions = blocks.filter(({ type }) => type === 'agent.session');
  expect(sessions.map(({ data }) => data)).toMatchObject([{ resumed: false }, { resumed: true }]);
  expect(verify(blocks)).toEqual([]);
});

// proves: external.resume
test('a program that has lost its session reads the conversation and the whole turn', async () => {
  await using demo = await openDemo(async (prompted) => {
    if (demo.programs.texts.length === 2) return begin(prompted);
    await prompted.update(message('Done.'));
    return 'end_turn';
  });
  await demo.harness.say('What is this?');
  await demo.harness.closed();
  await demo.harness.say('Build it.');
  await demo.harness.until((all) => all.some(({ type }) => type === 'react.tool.call'));
  demo.programs.sessions.clear();
  await demo.harness.restart();
  const blocks = await demo.harness.closed(2);
  const text = demo.programs.texts[2] ?? '';
  expect(text).toContain('User: What is this?\nAssistant: Done.');
  expect(text).toContain('its session is lost');
  expect(text).toContain('Build it.');
  expect(verify(blocks)).toEqual([]);
});

// proves: external.resume, external.permission
test('a decision that arrives while no program runs is delivered to the next one', async () => {
  await using demo = await openDemo((prompted) => editNotes(prompted, 'hello\n'));
  await demo.harness.say('Write notes.');
  const asked = await demo.harness.until((all) => all.some(isRequest));
  await demo.harness.restart();
  await demo.harness.idle();
  expect(outline(await demo.harness.blocks(), 'round.close')).toEqual([]);
  await demo.decide(requestOf(asked.find(isRequest)?.data), true);
  const blocks = await demo.harness.closed();
  expect(demo.programs.texts[1]).toContain('The user has allowed this in the meantime');
  expect(blocks.filter(isRequest)).toHaveLength(1);
  expect(blocks.at(-1)?.data).toMatchObject({
    text: 'Written.',
    files: [{ filename: 'notes.md' }],
  });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.failure
test('a program that ends in the middle is started again with its session', async () => {
  await using demo = await openDemo(async (prompted) => {
    if (demo.programs.texts.length === 1) {
      await prompted.update({ ...run, sessionUpdate: 'tool_call', rawInput: { command: 'make' } });
      prompted.crash();
      return untilCancelled(prompted);
    }
    await prompted.update(message('Done.'));
    return 'end_turn';
  });
  await demo.harness.say('Build it.');
  const blocks = await demo.harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(demo.programs.loads).toHaveLength(1);
  expect(verify(blocks)).toEqual([]);
});

// proves: external.failure
test('a program that fails every time fails the turn with the reason', async () => {
  await using demo = await openDemo(async (prompted) => {
    prompted.crash();
    return untilCancelled(prompted);
  });
  await demo.harness.say('Build it.');
  const blocks = await demo.harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'failed', error: { code: 'AGENT_FAILED' } });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.limits
test('a turn whose time is over stops its program and closes as exhausted', async () => {
  await using demo = await openDemo(untilCancelled, { budgets: { rounds: 5, wallMs: 300 } });
  await demo.harness.say('Build it.');
  const blocks = await demo.harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'exhausted' });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.limits
test('a program that writes without end is stopped, and the turn fails', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  await using demo = await openDemo(async (prompted) => {
    for (let n = 0; n < 40 && !prompted.signal.aborted; n += 1)
      await prompted.update(message(piece));
    if (!prompted.signal.aborted) await once(prompted.signal, 'abort');
    return 'cancelled';
  });
  await demo.harness.say('Write.');
  const blocks = await demo.harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'failed', error: { code: 'AGENT_LIMIT' } });
  expect(verify(blocks)).toEqual([]);
});
